"use strict";
(() => {
  const found = document.getElementById("found");
  const told = document.getElementById("told");
  if (!found || !window.searchIndex) return;
  const field = document.querySelector("input[name=q]");
  const entries = window.searchIndex.map(([kind, title, text, path]) => (
    { kind, title, text, path, name: title.toLowerCase(), all: `${title} ${text} ${kind}`.toLowerCase() }));
  const MOST = 200;

  function element(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  // What has the words in its name comes first, the whole of them before a part.
  function rank(entry, words) {
    if (entry.name === words.join(" ")) return 0;
    return words.every((word) => entry.name.includes(word)) ? 1 : 2;
  }

  function show(query) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    found.replaceChildren();
    if (!words.length) return;
    const fitting = entries.filter((entry) => words.every((word) => entry.all.includes(word)));
    fitting.sort((one, other) => rank(one, words) - rank(other, words));
    const more = fitting.length > MOST ? `, of which these are ${MOST}: more words narrow` : "";
    told.textContent = `${fitting.length} ${fitting.length === 1 ? "page" : "pages"} with ${query.trim()}${more}`;
    found.append(...fitting.slice(0, MOST).map((entry) => element("li", {},
      element("a", { href: `../${entry.path}` }, entry.title), " ", element("span", { class: "quiet" }, entry.kind),
      element("div", {}, entry.text))));
  }

  field.value = new URLSearchParams(location.search).get("q") || "";
  field.addEventListener("input", () => show(field.value));
  field.form.addEventListener("submit", (event) => event.preventDefault());
  show(field.value);
})();
