(() => {
  const section = document.getElementById("differences");
  if (!section) return; // one client alone differs from nobody
  const form = document.getElementById("difference-filters");
  const search = document.getElementById("difference-search");
  const same = document.getElementById("same");
  const shown = document.getElementById("differences-shown");
  const rows = [...section.querySelectorAll("tr.observation")].map((row) =>
    ({ row, differs: row.classList.contains("differs"), text: row.textContent.toLowerCase() }));

  function apply() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let visible = 0;
    let differing = 0;
    for (const one of rows) {
      const fits = (one.differs || same.checked) && words.every((word) => one.text.includes(word));
      one.row.hidden = !fits;
      if (fits) visible += 1;
      if (fits && one.differs) differing += 1;
    }
    const values = same.checked ? ` in ${visible} observed values` : "";
    shown.textContent = `${differing} difference${differing === 1 ? "" : "s"}${values}`;
  }

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", apply);
  apply();
})();
