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
  const PROSE = ":is(p, li, dd, figcaption, .claim-text)";
  const OTHER = ":is(.cell_input, .cell_output:not(figure), .toctree-wrapper, .quiz) *";

  Search.makeSearchSummary = (html, words, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    for (const part of page.querySelectorAll(".headerlink, script, style")) part.remove();
    for (const part of page.querySelectorAll(".math")) part.replaceWith("…");
    let place = (anchor && page.getElementById(anchor.slice(1))) || page.querySelector("article");
    const term = place.matches("dt") ? `${place.textContent.trim()}: ` : "";
    while (place.matches("dt")) place = place.nextElementSibling; // what the term means
    const all = [place, ...place.querySelectorAll(PROSE)];
    const parts = all.filter((part) => part.matches(PROSE) && !part.matches(OTHER));
    const texts = parts.map((part) => part.textContent.replace(/\s+/g, " ").trim());
    const at = (word, text) => text.toLowerCase().indexOf(word.toLowerCase());
    const places = (text) => [...words].map((word) => at(word, text)).filter((i) => i >= 0);
    const best = texts.reduce((a, b) => (places(b).length > places(a).length ? b : a), texts[0] ?? "");
    const first = Math.min(...places(best)), cut = best.length > LENGTH && isFinite(first);
    const from = cut ? Math.max(0, best.lastIndexOf(" ", first - LENGTH / 4)) : 0;
    const to = best.length > from + LENGTH ? best.lastIndexOf(" ", from + LENGTH) : best.length;
    const summary = document.createElement("p");
    summary.className = "context";
    summary.textContent = `${term}${from ? "… " : ""}${best.slice(from, to).trim()}${to < best.length ? " …" : ""}`;
    return summary;
  };
});
