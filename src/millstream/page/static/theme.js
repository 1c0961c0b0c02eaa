// Runs before the page is drawn, so that a chosen theme never flashes as the other one.
(() => {
  const KEY = "millstream-theme";

  function stored() {
    try {
      return localStorage.getItem(KEY) ?? "";
    } catch {
      return "";
    }
  }

  function apply(theme) {
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
  }

  function choose(theme) {
    apply(theme);
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // A browser that keeps nothing: the choice holds until the page is closed.
    }
  }

  apply(stored());
  addEventListener("DOMContentLoaded", () => {
    const select = document.getElementById("theme");
    select.value = stored();
    select.addEventListener("change", () => choose(select.value));
  });
})();
