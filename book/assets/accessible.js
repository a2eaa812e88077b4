// What the theme leaves out for readers who listen to a page, use the keyboard, print, or cite a table.
(() => {
  const BOXES =
    ".cell_output .text_html, .cell_output > .output, .pst-scrollable-table-container, div.math, " +
    ".cell_output figure, .cell_output:has(> a > img)";
  const CODE = ".bd-article div.highlight > pre";

  // A box that scrolls is a stop of the Tab key and says what it holds; one that does not is neither.
  function nameScrollingBoxes() {
    const names = new Set();
    for (const code of document.querySelectorAll(CODE)) code.tabIndex = code.scrollWidth > code.clientWidth ? 0 : -1;
    document.querySelectorAll(`.bd-article :is(${BOXES})`).forEach((box, i) => {
      if (box.scrollWidth > box.clientWidth + 1) {
        const caption = box.querySelector("caption, figcaption .caption-number")?.textContent.replace(/#$/, "").trim();
        const kind = box.querySelector("table") ? "Table" : box.matches(".math") ? "Formula"
          : box.querySelector("img") ? "Figure" : "Output";
        const name = caption && !names.has(caption) ? caption : `${caption || kind} (${i + 1})`;
        names.add(name);
        box.tabIndex = 0;
        if (!box.matches("figure")) box.setAttribute("role", "region"); // a figure with a caption has its role
        box.setAttribute("aria-label", name);
      } else if (box.getAttribute("role") === "region" || box.matches("figure")) {
        for (const attribute of ["role", "aria-label", "tabindex"]) box.removeAttribute(attribute);
      }
    });
  }

  // Sphinx-exercise gives every exercise's content the same id, and every solution's.
  function tellIdsApart() {
    for (const id of ["exercise-content", "solution-content"])
      document.querySelectorAll(`#${id}`).forEach((part, i) => { if (i) part.id = `${id}-${i + 1}`; });
  }

  // Docutils writes a bibliography as a list whose children are no items of a list.
  function listReferences() {
    for (const entry of document.querySelectorAll(".citation-list > .citation")) entry.setAttribute("role", "listitem");
  }

  // A table's caption has a link, as a heading has.
  function linkTables() {
    const counts = {};
    for (const caption of document.querySelectorAll(".bd-article table:not([id]) > caption")) {
      const name = caption.textContent.toLowerCase().split(/[^a-z0-9]+/).filter(Boolean).slice(0, 6).join("-");
      counts[name] = (counts[name] ?? 0) + 1;
      const id = `table-${name}${counts[name] > 1 ? `-${counts[name]}` : ""}`, link = document.createElement("a");
      Object.assign(link, { className: "headerlink", href: `#${id}`, title: "Link to this table", textContent: "#" });
      caption.parentElement.id = id;
      caption.append(link);
      if (location.hash !== `#${id}`) continue;
      for (let fold = caption.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
      caption.scrollIntoView();
    }
  }

  // A corner of a table, or a head without a name, is a cell: who listens would wait for what it heads.
  function emptyHeads() {
    for (const head of document.querySelectorAll(".bd-article th"))
      if (!head.textContent.trim()) head.setAttribute("role", "cell");
  }

  function buttonBefore(place, text, pressed) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "more", textContent: text });
    button.addEventListener("click", () => pressed(button));
    place.before(button);
    return button;
  }

  // Published figures and full ones are what most read: those of this run show at the switch above the first of them.
  function switchThisRun() {
    let first;
    for (const table of document.querySelectorAll(".cell_output table:not(.sortable)")) {
      const heads = [...table.querySelectorAll("thead th")].map((head) => head.textContent.trim());
      if (!heads.some((text) => /^(full|published)|\(paper\)$/.test(text))) continue;
      heads.forEach((text, i) => {
        if (!/^this run|\(this run\)$/.test(text)) return;
        for (const row of table.rows) row.cells[i]?.classList.add("this-run");
        first ??= table.closest(".cell");
      });
    }
    if (!first) return;
    buttonBefore(first, "Show this run in the tables", (button) => {
      const shown = document.body.classList.toggle("shows-this-run");
      button.setAttribute("aria-pressed", shown);
    }).setAttribute("aria-pressed", false);
  }

  // Of a long table ten rows show, until a reader asks for all.
  function foldLongTables() {
    for (const table of document.querySelectorAll(".bd-article .cell_output table:not(.sortable)")) {
      const rows = [...(table.tBodies[0]?.rows ?? [])];
      if (rows.length < 16) continue;
      for (const row of rows.slice(10)) row.hidden = true;
      buttonBefore(table, `Show all ${rows.length} rows`, (button) => {
        for (const row of rows) row.hidden = false;
        button.remove();
      });
    }
  }

  // On paper, what is folded shows if it holds a table or says what a page is about; code and solutions stay away.
  function unfoldOnPaper() {
    let opened = [];
    addEventListener("beforeprint", () => {
      opened = [...document.querySelectorAll(".bd-article details:not([open]):has(table)")];
      for (const fold of opened) fold.open = true;
    });
    addEventListener("afterprint", () => { for (const fold of opened) fold.open = false; });
  }

  // Sphinx-design's tabs are radio buttons, which belong together and need a name as such.
  function nameTabs() {
    document.querySelectorAll(".sd-tab-set").forEach((set, i) => {
      set.setAttribute("role", "group");
      set.setAttribute("aria-label", `Tables in tabs (${i + 1})`);
    });
  }

  // MathJax 3.2 gives up when a reader asks the menu of a formula for its explorer, whose speech is not loaded yet,
  // and leaves the page without formulas. Asked again when the speech has come, it sets them.
  async function waitForSpeech() {
    await MathJax.startup.promise;
    const menu = MathJax.startup.document.menu, rerender = menu.rerender;
    menu.rerender = start => MathJax._.util.Retries.handleRetriesFor(() => rerender.call(menu, start));
  }

  addEventListener("load", () => { if (window.MathJax?.startup?.promise) waitForSpeech(); });
  document.addEventListener("DOMContentLoaded", () => {
    tellIdsApart();
    listReferences();
    nameTabs();
    linkTables();
    emptyHeads();
    switchThisRun();
    foldLongTables();
    unfoldOnPaper();
    for (const fold of document.querySelectorAll(".bd-sidebar-primary li > details > summary"))
      fold.setAttribute("aria-label", `Pages below ${fold.closest("li").querySelector("a").textContent.trim()}`);
    document.querySelector(".sidebar-primary-item:has(> .navbar-brand)")?.setAttribute("role", "banner");
    const watch = new ResizeObserver(nameScrollingBoxes);
    for (const code of document.querySelectorAll(CODE)) watch.observe(code);
    for (const box of document.querySelectorAll(`.bd-article :is(${BOXES})`)) {
      watch.observe(box);
      for (const part of box.children) watch.observe(part);
    }
  });
})();
