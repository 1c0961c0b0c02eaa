package surface;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.RoundEnvironment;
import javax.annotation.processing.SupportedAnnotationTypes;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.ElementFilter;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Lists the public API of unpacked sources: classes, and the public and protected constructors, methods and fields.
 *
 * <p>Arguments: the file to write, then folders of sources. Internal packages and private classes are left out.
 */
public final class Main {
  public static void main(final String[] args) throws Exception {
    final List<File> files = new ArrayList<>();
    for (int i = 1; i < args.length; i++) {
      try (Stream<Path> found = Files.walk(Path.of(args[i]))) {
        found.filter(p -> p.toString().endsWith(".java")).map(Path::toFile).forEach(files::add);
      }
    }
    Collections.sort(files);
    final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    final Lister lister = new Lister();
    try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
      final List<String> options =
          List.of("-proc:only", "-nowarn", "-cp", System.getProperty("java.class.path"));
      final JavaCompiler.CompilationTask task =
          compiler.getTask(
              null, manager, null, options, null, manager.getJavaFileObjectsFromFiles(files));
      task.setProcessors(List.of(lister));
      task.call();
    }
    final ObjectMapper json = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
    Files.writeString(Path.of(args[0]), json.writeValueAsString(lister.classes) + "\n");
  }

  @SupportedAnnotationTypes("*")
  static final class Lister extends AbstractProcessor {
    final Map<String, Object> classes = new TreeMap<>();

    @Override
    public SourceVersion getSupportedSourceVersion() {
      return SourceVersion.latestSupported();
    }

    @Override
    public boolean process(final Set<? extends TypeElement> seen, final RoundEnvironment round) {
      for (final TypeElement type : ElementFilter.typesIn(round.getRootElements())) {
        list(type);
      }
      return false;
    }

    private void list(final TypeElement type) {
      final String name = type.getQualifiedName().toString();
      final boolean open =
          type.getModifiers().contains(Modifier.PUBLIC)
              || (type.getEnclosingElement() instanceof TypeElement
                  && ((TypeElement) type.getEnclosingElement()).getKind() == ElementKind.INTERFACE);
      if (!open || name.contains(".internals.")) {
        return;
      }
      final Map<String, Object> facts = new LinkedHashMap<>();
      facts.put("kind", type.getKind().name().toLowerCase(java.util.Locale.ROOT));
      if (type.getModifiers().contains(Modifier.ABSTRACT) && type.getKind() == ElementKind.CLASS) {
        facts.put("abstract", true);
      }
      if (deprecated(type)) {
        facts.put("deprecated", true);
      }
      facts.put("extends", parents(type));
      final List<Map<String, Object>> members = new ArrayList<>();
      for (final Element member : type.getEnclosedElements()) {
        if (member instanceof TypeElement) {
          list((TypeElement) member);
        } else if (isOpen(type, member)) {
          members.add(describe(member));
        }
      }
      members.sort(
          Comparator.comparing((Map<String, Object> m) -> (String) m.get("name"))
              .thenComparing(m -> String.valueOf(m.get("parameters"))));
      facts.put("members", members);
      classes.put(name, facts);
    }

    private boolean isOpen(final TypeElement type, final Element member) {
      final Set<Modifier> is = member.getModifiers();
      if (member.getKind() == ElementKind.STATIC_INIT || is.contains(Modifier.PRIVATE)) {
        return false;
      }
      return type.getKind() == ElementKind.INTERFACE
          || is.contains(Modifier.PUBLIC)
          || is.contains(Modifier.PROTECTED);
    }

    private List<String> parents(final TypeElement type) {
      return processingEnv.getTypeUtils().directSupertypes(type.asType()).stream()
          .map(t -> ((TypeElement) ((DeclaredType) t).asElement()).getQualifiedName().toString())
          .filter(n -> !n.equals("java.lang.Object"))
          .collect(Collectors.toList());
    }

    private Map<String, Object> describe(final Element member) {
      final Map<String, Object> facts = new LinkedHashMap<>();
      final Set<Modifier> is = member.getModifiers();
      if (member instanceof ExecutableElement) {
        final ExecutableElement method = (ExecutableElement) member;
        final boolean constructor = member.getKind() == ElementKind.CONSTRUCTOR;
        facts.put("name", constructor ? "<init>" : member.getSimpleName().toString());
        final List<List<String>> parameters = new ArrayList<>();
        for (final VariableElement parameter : method.getParameters()) {
          final boolean last = parameters.size() == method.getParameters().size() - 1;
          final String type = shown(parameter.asType());
          final boolean many = method.isVarArgs() && last;
          parameters.add(
              List.of(
                  many ? type.substring(0, type.length() - 2) + "..." : type,
                  parameter.getSimpleName().toString()));
        }
        facts.put("parameters", parameters);
        if (!constructor) {
          facts.put("returns", shown(method.getReturnType()));
        }
      } else {
        facts.put("name", member.getSimpleName().toString());
        facts.put("field", shown(member.asType()));
        final Object value = ((VariableElement) member).getConstantValue();
        if (value != null) {
          facts.put("value", value);
        }
      }
      for (final Modifier each : List.of(Modifier.STATIC, Modifier.ABSTRACT, Modifier.PROTECTED)) {
        if (is.contains(each)) {
          facts.put(each.toString(), true);
        }
      }
      if (deprecated(member)) {
        facts.put("deprecated", true);
      }
      return facts;
    }

    private boolean deprecated(final Element element) {
      return element.getAnnotation(Deprecated.class) != null;
    }

    /** The erased type by its short name: what tells overloads apart. */
    private String shown(final TypeMirror type) {
      final TypeMirror erased = processingEnv.getTypeUtils().erasure(type);
      if (erased instanceof ArrayType) {
        return shown(((ArrayType) erased).getComponentType()) + "[]";
      }
      if (erased instanceof DeclaredType) {
        final Element element = ((DeclaredType) erased).asElement();
        final String full = ((TypeElement) element).getQualifiedName().toString();
        final String home =
            processingEnv.getElementUtils().getPackageOf(element).getQualifiedName().toString();
        return full.substring(home.length() + 1);
      }
      return erased.toString();
    }
  }
}
