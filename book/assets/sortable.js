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
    compact(table);
  }

  // Intervals show when their cell is pointed at or has the focus. One cell takes the tab key; arrows lead to the others.
  function compact(table) {
    var cells = Array.prototype.filter.call(table.querySelectorAll("td"), function (cell) {
      return cell.querySelector(".interval");
    });
    if (!cells.length) { return; }
    table.classList.add("compact");
    cells.forEach(function (cell, place) { cell.tabIndex = place ? -1 : 0; });
    table.addEventListener("keydown", function (event) {
      var step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
      var at = event.target;
      if (!step || cells.indexOf(at) < 0) { return; }
      event.preventDefault();
      for (var row = at.parentNode, column = at.cellIndex; row && row.cells[column]; ) {
        row = step[0] ? (step[0] > 0 ? row.nextElementSibling : row.previousElementSibling) : row;
        column += step[1];
        if (row && cells.indexOf(row.cells[column]) >= 0) {
          at.tabIndex = -1;
          row.cells[column].tabIndex = 0;
          row.cells[column].focus();
          return;
        }
      }
    });
    table.addEventListener("keydown", function (event) {
      if (event.key === "Escape") { event.target.blur(); }
    });
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
