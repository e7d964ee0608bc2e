"use strict";
(() => {
  const root = document.documentElement;
  const theme = document.getElementById("theme");
  const isDark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  function showTheme(wanted) {
    if (wanted) root.dataset.theme = wanted;
    theme.textContent = isDark() ? "Light theme" : "Dark theme";
  }
  const kept = { // a page without storage of its own forgets the theme
    get: () => { try { return localStorage.getItem("theme"); } catch { return null; } },
    set: (value) => { try { localStorage.setItem("theme", value); } catch { /* forgotten */ } },
  };
  theme.addEventListener("click", () => {
    showTheme(isDark() ? "light" : "dark");
    kept.set(root.dataset.theme);
  });
  showTheme(["light", "dark"].includes(kept.get()) ? kept.get() : "");
})();
