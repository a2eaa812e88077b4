// Claims: a link to one opens it, and a page with those of several papers gets a filter by verdict and paper, which the
// address keeps: #verdict=fails&paper=... Without this script each claim still opens with a click.
(function () {
  "use strict";

  function openTarget() {
    var id = decodeURIComponent(window.location.hash.slice(1));
    var target = id && document.getElementById(id);
    if (target && target.matches("details.claim")) {
      for (var each = target; each; each = each.parentElement.closest("details")) {
        each.hidden = false;
        each.open = true;
      }
      target.scrollIntoView();
    }
  }

  var TITLES = { none: "no paper: questions of this book" };

  function choice(bar, label, names) {
    var select = document.createElement("select");
    select.id = "claims-" + label.toLowerCase();
    ["all"].concat(names).forEach(function (name) { select.add(new Option(TITLES[name] || name, name === "all" ? "" : name)); });
    var name = document.createElement("label");
    name.htmlFor = select.id;
    name.textContent = label;
    var field = document.createElement("span");
    field.append(name, select);
    bar.append(field);
    return select;
  }

  function addFilter(claims) {
    var values = function (name) {
      return Array.from(new Set(claims.map(function (claim) { return claim.dataset[name]; })));
    };
    var bar = document.createElement("div");
    bar.className = "claims-filter";
    var verdict = choice(bar, "Verdict", values("verdict").sort());
    var paper = choice(bar, "Paper", values("paper"));
    var count = document.createElement("output");
    bar.append(count);

    function filter() {
      var shown = claims.filter(function (claim) {
        claim.hidden = Boolean((verdict.value && claim.dataset.verdict !== verdict.value) ||
          (paper.value && claim.dataset.paper !== paper.value));
        return !claim.hidden;
      });
      document.querySelectorAll(".claims").forEach(function (list) {
        list.hidden = !list.querySelector("details.claim:not([hidden])");
        list.open = Boolean(verdict.value || paper.value);
      });
      count.textContent = shown.length + " of " + claims.length + " claims";
    }

    function choose() {
      var asked = new URLSearchParams();
      if (verdict.value) { asked.set("verdict", verdict.value); }
      if (paper.value) { asked.set("paper", paper.value); }
      history.replaceState(null, "", "#" + asked);
      filter();
    }

    function read() {
      var asked = new URLSearchParams(window.location.hash.slice(1));
      if (window.location.hash.indexOf("=") < 0 && window.location.hash.length > 1) { return; } // a link to one claim
      [[verdict, "verdict"], [paper, "paper"]].forEach(function (pair) {
        pair[0].value = asked.get(pair[1]) || "";
        if (pair[0].selectedIndex < 0) { pair[0].value = ""; }
      });
      filter();
    }

    verdict.addEventListener("change", choose);
    paper.addEventListener("change", choose);
    window.addEventListener("hashchange", read);
    filter();
    read();
    var section = claims[0].closest("section");
    var outer = section.parentElement.closest("section");
    outer.insertBefore(bar, outer.querySelector("section"));
  }

  document.addEventListener("DOMContentLoaded", function () {
    var claims = Array.from(document.querySelectorAll("details.claim"));
    var papers = new Set(claims.map(function (claim) { return claim.dataset.paper; }));
    if (papers.size > 1) { addFilter(claims); }
    openTarget();
    window.addEventListener("hashchange", openTarget);
  });
})();
