// Tables of class "sortable": each column header becomes a button that sorts the rows, first from the largest number
// (or from A), then the other way round. Without this script the table is simply a table.
(function () {
  "use strict";

  // The first number of a cell, such as 0.512 of "0.512 [0.480, 0.544] ★"; null where there is none.
  function number(text) {
    var found = text.replace(/,/g, "").replace(/−/g, "-").match(/-?\d*\.?\d+/);
    return found ? parseFloat(found[0]) : null;
  }

  function cellText(row, column) {
    return row.cells[column] ? row.cells[column].textContent.trim() : "";
  }

  function compare(a, b, numeric, down) {
    if (!numeric) {
      return (down ? -1 : 1) * a.localeCompare(b, "en");
    }
    var x = number(a), y = number(b);
    if (x === null || y === null) {
      return (x === null) - (y === null); // what is missing stays below
    }
    return down ? y - x : x - y;
  }

  function sort(table, column, down) {
    var body = table.tBodies[0];
    var rows = Array.prototype.slice.call(body.rows);
    var filled = rows.map(function (row) { return cellText(row, column); }).filter(function (text) {
      return text !== "" && text !== "–";
    });
    var numeric = filled.length > 0 && filled.every(function (text) { return /^[-−]?[\d.]/.test(text); });
    rows.map(function (row, place) { return { row: row, place: place, text: cellText(row, column) }; })
      .sort(function (a, b) { return compare(a.text, b.text, numeric, down) || a.place - b.place; })
      .forEach(function (item) { body.appendChild(item.row); });
    return numeric;
  }

  function prepare(table) {
    var headers = Array.prototype.slice.call(table.tHead ? table.tHead.rows[0].cells : []);
    headers.forEach(function (header, column) {
      if (header.querySelector("button")) { return; }
      var button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      while (header.firstChild) { button.appendChild(header.firstChild); }
      var arrow = document.createElement("span");
      arrow.className = "sort-arrow";
      arrow.setAttribute("aria-hidden", "true");
      button.appendChild(arrow);
      header.appendChild(button);
      button.addEventListener("click", function () {
        var now = header.getAttribute("aria-sort");
        var isName = column === 0;
        var down = now ? now === "ascending" : !isName;
        headers.forEach(function (other) { other.removeAttribute("aria-sort"); });
        sort(table, column, down);
        header.setAttribute("aria-sort", down ? "descending" : "ascending");
      });
    });
    table.classList.add("is-sortable");
  }

  function start() {
    Array.prototype.forEach.call(document.querySelectorAll("table.sortable"), prepare);
  }

  if (document.readyState === "loading") {
    document.addEventListener("DOMContentLoaded", start);
  } else {
    start();
  }
})();
