"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const form = document.getElementById("filters");
  const search = document.getElementById("search");
  const selects = ["document", "area", "provider"].map((id) => document.getElementById(id)).filter(Boolean);
  const provider = document.getElementById("provider");
  const differ = document.getElementById("differ");
  const boxes = [...form.querySelectorAll("input[name=verdict]")];
  const shown = document.getElementById("shown");
  const nothing = document.getElementById("nothing");
  const table = document.querySelector(".matrix");

  const sections = [...table.tBodies].map((body) => ({ body, document: body.dataset.document, area: body.dataset.area }));
  const rows = sections.flatMap((section) =>
    [...section.body.querySelectorAll("tr.requirement")].map((row) => {
      const known = data.rows[row.id];
      return {
        section, row, button: row.querySelector("button.open"), detail: null,
        states: row.dataset.states.split(" "), visible: true,
        get text() { // made when first searched: opening the page does not wait for it
          const text = haystack(row.id, section, known);
          Object.defineProperty(this, "text", { value: text });
          return text;
        },
      };
    }));
  const byId = new Map(rows.map((one) => [one.row.id, one]));

  function haystack(id, section, known) {
    const words = [id, section.area, section.document, known.statement, known.document];
    if (known.page) return words.join("\n").toLowerCase();
    known.sources.forEach((source) => words.push(source.title, source.section));
    words.push(...Object.values(known.fields));
    known.cells.forEach((cell) => cell.judgements.forEach((one) => {
      words.push(one.scenario, one.reason || "");
      if (one.deviation) words.push(one.deviation.kind, one.deviation.reason);
    }));
    return words.join("\n").toLowerCase();
  }

  // ---- building what a row opens to; text only ever becomes text nodes ----

  function element(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) made.setAttribute(name, value);
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  }

  function mark(state, note) {
    const look = data.states[state];
    return element("span", { class: `mark s-${state}` },
      element("span", { class: "symbol", "aria-hidden": "true" }, look.symbol),
      ` ${look.words}${note ? ` (${note})` : ""}`);
  }

  function field(name, ...content) {
    const wide = ["Source", "How it is verified", "Note"].includes(name) ? " wide" : "";
    return element("div", { class: `field${wide}` }, element("dt", {}, name), element("dd", {}, ...content));
  }

  function block(name, text, kind) {
    return element("figure", { class: `said ${kind}` }, element("figcaption", {}, name), element("pre", { tabindex: "0" }, text));
  }

  function requirement(known) {
    const list = element("dl", { class: "about" });
    if (known.sources.length) {
      list.append(field("Source", element("ul", {}, ...known.sources.map((source) =>
        element("li", {}, /^https?:\/\//i.test(source.address)
          ? element("a", { href: source.address, rel: "noreferrer" }, source.title) : source.title, ", ", source.section)))));
    }
    const names = { verify: "How it is verified", note: "Note", strength: "Strength", support: "Support",
      observes: "Observed by", tck: "TCK", assertion: "Assertion" };
    for (const name of ["verify", "note", "strength", "support", "observes", "assertion", "tck"]) {
      if (known.fields[name]) list.append(field(names[name], known.fields[name]));
    }
    if (known.flags.length) list.append(field("Kind", known.flags.join(", ")));
    return list;
  }

  function judgement(one) {
    const parts = [element("header", {}, mark(one.state, one.label), element("code", {}, one.scenario),
      one.permissive ? element("span", { class: "quiet" }, "permissive statement") : null)];
    if (one.reason) parts.push(element("p", { class: "reason" }, one.reason));
    if (one.expected || one.seen) {
      parts.push(element("div", { class: "compare" },
        one.expected ? block("Expected", one.expected, "expected") : null, one.seen ? block("Seen", one.seen, "seen") : null));
    }
    if (one.deviation) {
      const link = one.deviation.link;
      parts.push(element("p", { class: "deviation" }, element("strong", {}, one.deviation.kind), " ", one.deviation.reason, " ",
        ...(one.deviation.option ? ["Kept with ", element("code", {}, one.deviation.option), ". "] : []),
        link ? (/^https?:\/\//i.test(link) ? element("a", { href: link, rel: "noreferrer" }, link) : element("span", { class: "quiet" }, link)) : null));
    }
    const observables = Object.entries(one.observables);
    if (observables.length) {
      parts.push(element("dl", { class: "observables" }, ...observables.map(([name, value]) => field(name, element("code", {}, value)))));
    }
    const copy = element("button", { type: "button", class: "copy" }, "Copy");
    copy.addEventListener("click", () => copyText(one.rerun, copy));
    parts.push(element("div", { class: "rerun" }, element("code", { tabindex: "0" }, one.rerun), copy));
    const foot = element("p", { class: "foot" });
    for (const [name, path] of Object.entries(one.links)) foot.append(element("a", { href: path }, name), " ");
    foot.append(element("span", { class: "quiet" }, Object.entries(one.facts).map(([name, value]) => `${name} ${value}`).join(" · ")));
    parts.push(foot);
    return element("article", { class: `judgement s-${one.state}` }, ...parts);
  }

  function client(cell, index) {
    const content = cell.judgements.length ? cell.judgements.map(judgement)
      : [element("p", { class: "reason" }, cell.state === "not-yet" ? "No scenario has judged this yet." : "This document does not speak of this client.")];
    return element("section", { class: "client" },
      element("h3", {}, data.columns[index], " ", mark(cell.state)), ...content);
  }

  function copyText(text, button) {
    const done = () => {
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    };
    const byHand = () => {
      const area = element("textarea", { class: "unseen", readonly: "" });
      area.value = text;
      button.after(area);
      area.select();
      if (document.execCommand("copy")) done();
      area.remove();
      button.focus();
    };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, byHand);
    else byHand();
  }

  function open(one, wanted) {
    const now = one.detail !== null && !one.detail.hidden;
    if (wanted === now) return;
    if (!one.detail) {
      const known = data.rows[one.row.id];
      const content = known.page
        ? element("p", {}, element("a", { href: known.page }, `${one.row.id}: what everybody does, and why`))
        : element("div", { class: "detail" }, requirement(known), element("div", { class: "clients" }, ...known.cells.map(client)));
      const cell = element("td", { colspan: String(data.columns.length + 2) }, content);
      one.detail = element("tr", { class: "opened", id: `${one.row.id}-detail` }, cell);
      one.row.after(one.detail);
      one.button.setAttribute("aria-controls", one.detail.id);
    }
    one.detail.hidden = !wanted;
    one.button.setAttribute("aria-expanded", String(wanted));
    one.row.classList.toggle("is-open", wanted);
  }

  // ---- filtering ----

  const beside = new Set(["not-applicable", "not-yet"]); // these say nothing of how clients differ
  const differIn = (states) => new Set(states.filter((state) => !beside.has(state))).size > 1;
  const named = (name, of) => name.toLowerCase().startsWith(of);

  /** What a word of the search wants of a row: `area:headers`, `qpid:violates`, any of it with a minus, or its text. */
  function condition(word) {
    if (word.length > 1 && word.startsWith("-")) {
      const unwanted = condition(word.slice(1));
      return (one) => !unwanted(one);
    }
    const [, name, value] = /^([^:]+):(.+)$/.exec(word) || [];
    if (name === "area" || name === "document") return (one) => named(one.section[name], value);
    const states = value ? Object.keys(data.states).filter((state) => named(state, value) || data.states[state].short === value) : [];
    if (name === "verdict" && states.length) return (one) => one.states.some((state) => states.includes(state));
    const columns = name ? data.columns.flatMap((column, index) => named(column.replaceAll(" ", "@"), name) ? [index] : []) : [];
    if (columns.length && states.length) return (one) => columns.some((index) => states.includes(one.states[index]));
    return (one) => one.text.includes(word);
  }

  function state() {
    return {
      verdict: boxes.filter((box) => box.checked).map((box) => box.value),
      q: search.value.trim(),
      ...Object.fromEntries(selects.map((select) => [select.id, select.value])),
      differ: Boolean(differ && differ.checked),
      open: rows.filter((one) => one.visible && one.detail && !one.detail.hidden).map((one) => one.row.id),
    };
  }

  function matches(one, wanted, conditions) {
    if (wanted.document && one.section.document !== wanted.document) return false;
    if (wanted.area && one.section.area !== wanted.area) return false;
    return conditions.every((holds) => holds(one));
  }

  /** Show the rows that fit; `goesOn`: the step back leads before the first of such changes in a row. */
  function apply(goesOn = false) {
    const wanted = state();
    const conditions = wanted.q.toLowerCase().split(/\s+/).filter(Boolean).map(condition);
    const column = wanted.provider ? data.columns.indexOf(wanted.provider) : -1;
    const counts = {};
    let visible = 0;
    for (const section of sections) section.visible = false;
    for (const one of rows) {
      const states = column < 0 ? one.states : [one.states[column]];
      const differs = differIn(one.states);
      const fits = matches(one, wanted, conditions);
      if (fits) {
        for (const key of new Set(states)) counts[key] = (counts[key] || 0) + 1;
        if (differs) counts.differ = (counts.differ || 0) + 1;
      }
      one.visible = fits && (!wanted.differ || differs) &&
        (wanted.verdict.length === 0 || states.some((key) => wanted.verdict.includes(key)));
      if (one.row.hidden === one.visible) one.row.hidden = !one.visible;
      if (one.detail) one.detail.hidden = !one.visible || one.button.getAttribute("aria-expanded") !== "true";
      if (one.visible) { visible += 1; one.section.visible = true; }
    }
    for (const section of sections) {
      if (section.body.hidden === section.visible) section.body.hidden = !section.visible;
    }
    for (const place of form.querySelectorAll("[data-count]")) {
      const count = counts[place.dataset.count] || 0;
      place.textContent = String(count);
      place.closest("label").classList.toggle("is-empty", count === 0);
    }
    shown.textContent = visible === rows.length ? `${rows.length} requirements` : `${visible} of ${rows.length} requirements`;
    nothing.hidden = visible > 0;
    remember(goesOn);
  }

  function remember(goesOn) {
    const wanted = state();
    const words = new URLSearchParams();
    for (const [name, value] of Object.entries(wanted)) {
      const text = Array.isArray(value) ? value.join(",") : value === true ? "1" : value || "";
      if (text) words.set(name, text);
    }
    const hash = String(words) ? `#${words}` : "";
    if (hash === location.hash) return;
    const address = hash || location.pathname + location.search;
    if (goesOn) history.replaceState(null, "", address);
    else history.pushState(null, "", address);
  }

  function recall() {
    const place = location.hash.slice(1);
    if (document.getElementById(place) && !byId.has(place)) return; // a part of the page
    const words = new URLSearchParams(byId.has(place) ? { open: place } : location.hash.slice(1));
    const several = (name) => (words.get(name) || "").split(",").filter(Boolean);
    boxes.forEach((box) => { box.checked = several("verdict").includes(box.value); });
    search.value = words.get("q") || "";
    for (const select of selects) {
      const value = words.get(select.id) || "";
      select.value = [...select.options].some((option) => option.value === value) ? value : "";
    }
    if (differ) differ.checked = words.has("differ");
    const opened = several("open").map((id) => byId.get(id)).filter(Boolean);
    rows.forEach((one) => open(one, opened.includes(one)));
    apply(true);
    if (opened.length) opened[0].row.scrollIntoView({ block: "center" });
  }

  function clear() {
    boxes.forEach((box) => { box.checked = false; });
    selects.forEach((select) => { select.value = ""; });
    search.value = "";
    if (differ) differ.checked = false;
  }

  // ---- the table for other programs ----

  function csv() {
    // A text that a spreadsheet would take for a formula gets an apostrophe.
    const cell = (text) => `"${text.replace(/^[=+\-@\t\r]/, "'$&").replaceAll('"', '""')}"`;
    const line = (texts) => `${texts.map(cell).join(",")}\r\n`;
    const lines = rows.filter((one) => one.visible).map((one) => line([one.row.id, one.section.document, one.section.area,
      data.rows[one.row.id].statement, ...one.states.map((state) => data.states[state].short)]));
    const file = new Blob([line(["requirement", "document", "area", "statement", ...data.columns]), ...lines], { type: "text/csv" });
    const link = element("a", { href: URL.createObjectURL(file), download: "touchstone.csv" });
    link.click();
    URL.revokeObjectURL(link.href);
  }

  document.getElementById("csv").addEventListener("click", csv);

  // ---- events ----

  form.addEventListener("submit", (event) => event.preventDefault());
  let typed = false; // whether the last change was a letter of the search
  form.addEventListener("input", (event) => {
    const types = event.target === search;
    apply(types && typed);
    typed = types;
  });
  form.addEventListener("reset", (event) => { event.preventDefault(); clear(); apply(); });
  document.getElementById("reset-too").addEventListener("click", () => { clear(); apply(); search.focus(); });
  document.addEventListener("click", (event) => {
    const target = event.target.closest("[data-goto-area], [data-goto-verdict]");
    if (target) {
      clear();
      const wanted = target.dataset;
      for (const select of selects) {
        select.value = { document: wanted.gotoDocument, area: wanted.gotoArea, provider: wanted.gotoProvider }[select.id] || "";
      }
      boxes.forEach((box) => { box.checked = box.value === wanted.gotoVerdict; });
      apply();
      form.scrollIntoView();
      return;
    }
    const row = event.target.closest("tr.requirement");
    if (!row || (event.target.closest("a") || String(getSelection()))) return;
    const one = byId.get(row.id);
    open(one, one.button.getAttribute("aria-expanded") !== "true");
    remember();
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.closest("input[type=search], select, textarea");
    if (event.key === "/" && !typing) { event.preventDefault(); search.focus(); search.select(); return; }
    if (event.key === "Escape" && typing === search) { search.value = ""; apply(); return; }
    if (typing) return;
    const here = event.target.closest("tr.requirement, tr.opened");
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    if (step && (here || event.key === "j" || event.key === "k")) {
      if (event.target.closest("pre")) return;
      const reachable = rows.filter((one) => one.visible);
      const at = here ? reachable.findIndex((one) => one.row === here || one.detail === here) : step > 0 ? -1 : 0;
      const next = reachable[at + step];
      if (next) { event.preventDefault(); next.button.focus(); next.row.scrollIntoView({ block: "nearest" }); }
    }
    if (event.key === "Escape" && here) {
      const one = rows.find((candidate) => candidate.row === here || candidate.detail === here);
      open(one, false);
      one.button.focus();
      remember();
    }
  });
  addEventListener("hashchange", recall);
  new ResizeObserver(() => {
    const height = getComputedStyle(form).position === "sticky" ? form.offsetHeight : 0;
    document.documentElement.style.setProperty("--bar", `${height}px`);
  }).observe(form);
  recall();
})();
