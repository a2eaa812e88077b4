// Puts all pages of the book into the one that is open, for the printer: names => how many formulas the paper cuts.
// Anchors get the page's name before their own, and links between the pages lead to these.
async names => {
  const LEFT_OUT = "script, .headerlink, .solution, #composition-playground";
  await MathJax.startup.promise;
  const title = document.title.split(" — ").pop(), base = new URL("../", location), pages = [];
  const anchor = (name, id) => (id ? `${name}--${id}` : name).replaceAll("/", "-");
  for (const name of names) {
    const address = new URL(`${name}.html`, base), text = await (await fetch(address)).text();
    const part = new DOMParser().parseFromString(text, "text/html").querySelector("article.bd-article");
    const folds = [...part.querySelectorAll(".sd-dropdown")].filter(fold => /^\s*Solutions/.test(fold.textContent));
    for (const gone of [...folds, ...part.querySelectorAll(LEFT_OUT)]) gone.remove();
    for (const fold of part.querySelectorAll("details:has(table)")) fold.open = true;
    for (const image of part.querySelectorAll("img")) {
      image.src = new URL(image.getAttribute("src"), address).href;
      image.loading = "eager";
    }
    for (const link of part.querySelectorAll("a[href]")) {
      const to = new URL(link.getAttribute("href"), address);
      if (to.origin !== base.origin) continue;
      const page = to.pathname.slice(base.pathname.length).replace(/\.html$/, "");
      if (names.includes(page)) link.href = `#${anchor(page, decodeURIComponent(to.hash.slice(1)))}`;
      else link.removeAttribute("href");
    }
    for (const named of part.querySelectorAll("[id]")) named.id = anchor(name, named.id);
    part.id = anchor(name);
    part.style.breakBefore = "page";
    pages.push(part);
  }
  const contents = document.createElement("article");
  contents.className = "bd-article";
  contents.innerHTML = `<h1>${title}</h1><h2>Contents</h2><ul></ul>`;
  contents.querySelector("ul").append(...pages.map(page => {
    const item = document.createElement("li"), link = document.createElement("a");
    Object.assign(link, { href: `#${page.id}`, textContent: page.querySelector("h1").textContent });
    item.append(link);
    return item;
  }));
  const here = document.querySelector("article.bd-article");
  here.replaceWith(contents, ...pages);
  document.getElementById("jb-print-docs-body")?.remove(); // the title of one page, in the place of its own
  for (const head of document.querySelectorAll(".bd-article h1"))
    head.style.setProperty("display", "block", "important");
  for (const link of document.querySelectorAll("article a[href^='#']")) { // to the page, where its place is not printed
    const goal = document.getElementById(link.hash.slice(1));
    if (!goal?.getClientRects().length) link.href = link.hash.replace(/--.*/, "");
  }
  document.title = title;
  MathJax.startup.document.clear();
  await MathJax.typesetPromise(pages);
  await Promise.all([...document.images].map(image => image.decode().catch(() => 0)));
  const share = box => box.parentElement.clientWidth / box.scrollWidth;
  const formulas = [...document.querySelectorAll("mjx-container[display]")].filter(box => box.offsetParent);
  for (const box of formulas)
    if (share(box) < 1) box.style.setProperty("font-size", `${80 * share(box)}%`, "important");
  return formulas.filter(box => share(box) < 0.99).length;
}
