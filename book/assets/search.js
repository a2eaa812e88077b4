// The search: pages of prose before the library's reference, and under each the paragraph that has most of the words.
var Scorer = {
  objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2, // Sphinx's own points
  score: ([page, , , , points]) => (page.startsWith("book/api/") ? points - 1000 : points),
};

// Opened from disk, a page may not fetch others, so the search shows titles alone.
if (location.protocol === "file:" && typeof DOCUMENTATION_OPTIONS !== "undefined") {
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
}

document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined") return;
  const LENGTH = 220;
  const PROSE = ":is(p, li, dd, figcaption):not(:is(.cell_input, .cell_output:not(figure), .toctree-wrapper, .quiz) *)";

  Search.makeSearchSummary = (html, words, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    for (const part of page.querySelectorAll(".headerlink, .math, script, style")) part.replaceWith(" ");
    const place = (anchor && page.getElementById(anchor.slice(1))) || page.querySelector("article");
    const texts = [...place.querySelectorAll(PROSE)].map((part) => part.textContent.replace(/\s+/g, " ").trim());
    const found = (text) => [...words].map((word) => text.toLowerCase().indexOf(word.toLowerCase())).filter((i) => i >= 0);
    const best = texts.reduce((a, b) => (found(b).length > found(a).length ? b : a), "");
    if (!best) return null;
    const from = best.length > LENGTH ? Math.max(0, best.lastIndexOf(" ", Math.min(...found(best)) - LENGTH / 4)) : 0;
    const to = best.length > from + LENGTH ? best.lastIndexOf(" ", from + LENGTH) : best.length;
    const summary = document.createElement("p");
    summary.className = "context";
    summary.textContent = `${from ? "… " : ""}${best.slice(from, to).trim()}${to < best.length ? " …" : ""}`;
    return summary;
  };
});
