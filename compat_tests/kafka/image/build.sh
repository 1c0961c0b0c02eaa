#!/usr/bin/env bash
# Builds a Kafka image where no registry can be reached: this machine's Java, the libraries it loads,
# a shell, and the jars of kafka.lock. Prints the image's name; needs the .venv of `make setup`.
# An image made from the same ingredients is used as it is.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../.." && pwd)
java_home=${JAVA_HOME:-$(dirname "$(dirname "$(readlink -f "$(command -v java)")")")}

ingredients=$(cat "$here"/* "$top/src/millstream/jars/kafka.lock" "$java_home/release" | sha256sum)
image=millstream-kafka:4.3.1-${ingredients:0:12}
if docker image inspect "$image" >/dev/null 2>&1; then
  echo "$image"
  exit 0
fi

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root"/{bin,tmp,root,etc,opt/kafka/{libs,config,defaults},mnt/shared/config,var/lib/kafka/data}
chmod 1777 "$root/tmp"

copy_java() {
  local modules=java.desktop,java.logging,java.management.rmi,java.naming,java.scripting,java.sql
  modules+=,java.security.jgss,java.security.sasl,jdk.crypto.ec,jdk.management,jdk.naming.dns
  modules+=,jdk.net,jdk.unsupported,jdk.zipfs
  if [ -d "$java_home/jmods" ] && [ -x "$java_home/bin/jlink" ]; then
    "$java_home/bin/jlink" --add-modules "$modules" --strip-java-debug-attributes \
      --no-header-files --no-man-pages --output "$root/opt/java"
  else # a JRE, which cannot make a smaller one
    mkdir "$root/opt/java"
    tar -C "$java_home" -chf - --exclude=./src.zip --exclude=./jmods . | tar -C "$root/opt/java" -xf -
  fi
  # A broker draws no windows; these parts would ask for the X libraries.
  rm -f "$root"/opt/java/lib/lib{awt_xawt,jawt,splashscreen,jsound,fontmanager,lcms,javajpeg,mlib_image}.so
}

copy_libraries() {
  {
    find "$root/opt/java" "$root/bin" -type f \( -perm -u+x -o -name '*.so' \) \
      -exec ldd {} \; 2>/dev/null | grep -oE '/[^ ():]+' | grep -v "^$root" || true
    # Opened by name at run time, so no program lists them: name look-up, and what
    # the native parts of the compression jars link to.
    ldconfig -p | awk '$1 ~ /^lib(nss_files|nss_dns|resolv|pthread|dl|rt|gcc_s|stdc\+\+|z)\.so\./ { print $NF }'
  } | sort -u | while read -r library; do
    [ ! -f "$library" ] || install -D "$(readlink -f "$library")" "$root$library"
  done
}

copy_java
install "$(readlink -f /bin/sh)" "$root/bin/sh"
copy_libraries
"$top/.venv/bin/python" -c 'from millstream.jars import jars; print(*jars("kafka"), sep="\n")' |
  xargs -I{} cp {} "$root/opt/kafka/libs/"
install "$here/start.sh" "$root/opt/kafka/start.sh"
cp "$here/server.properties" "$root/opt/kafka/defaults/"
echo 'root:x:0:0:root:/root:/bin/sh' >"$root/etc/passwd"
echo 'root:x:0:' >"$root/etc/group"
echo 'hosts: files dns' >"$root/etc/nsswitch.conf"

tar -C "$root" --numeric-owner --owner=0 --group=0 -cf - . | docker import \
  -c 'ENV PATH=/opt/java/bin:/bin JAVA_HOME=/opt/java LC_ALL=C.UTF-8' \
  -c 'EXPOSE 9092' -c 'VOLUME /var/lib/kafka/data' -c 'WORKDIR /' \
  -c 'CMD ["/opt/kafka/start.sh"]' - "$image" >/dev/null
echo "$image"
