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

  function count(entry, words) {
    return words.filter((word) => entry.all.includes(word)).length;
  }

  function show(query) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    found.replaceChildren();
    if (!words.length) return;
    let fitting = entries.filter((entry) => words.every((word) => entry.all.includes(word)));
    const all = fitting.length > 0;
    if (!all) fitting = entries.filter((entry) => count(entry, words) > 0);
    fitting.sort((one, other) => (all ? rank(one, words) - rank(other, words) : count(other, words) - count(one, words)));
    const more = fitting.length > MOST ? `, of which these are ${MOST}: more words narrow` : "";
    const pages = fitting.length === 1 ? "page" : "pages";
    told.textContent = all || !fitting.length ? `${fitting.length} ${pages} with ${query.trim()}${more}`
      : `No page has all of ${query.trim()}; ${fitting.length} ${pages} with some of it, those with most first${more}`;
    found.append(...fitting.slice(0, MOST).map((entry) => element("li", {},
      element("a", { href: `../${entry.path}` }, entry.title), " ", element("span", { class: "quiet" }, entry.kind),
      element("div", {}, entry.text))));
  }

  field.value = new URLSearchParams(location.search).get("q") || "";
  field.addEventListener("input", () => show(field.value));
  field.form.addEventListener("submit", (event) => event.preventDefault());
  show(field.value);
})();
