// Figures that a reader moves. Beside such a figure the page holds what it shows at each place of its sliders, as the
// library computed it (cdsm_lib/sliders.py); this script only shows it. Without it, and on paper, the still picture
// stays.
document.addEventListener("DOMContentLoaded", () => {
  const SIDE = 300; // units of a picture's longer side
  const make = (tag, attributes = {}, ...children) => {
    const svg = ["svg", "path", "line", "circle", "text", "g"].includes(tag);
    const element = document.createElementNS(`http://www.w3.org/${svg ? "2000/svg" : "1999/xhtml"}`, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };

  /** A plane as SVG; `draw(frame)` shows the arrows, the grid and the circles of a place. */
  function planeOf({ title, arrows }, { box: [west, south, east, north], step, axes, colours, grey, planes }) {
    const alone = planes.length === 1;
    const scale = SIDE / Math.max(east - west, north - south);
    const at = ([x, y]) => [(x - west) * scale, (north - y) * scale];
    const ends = ([x1, y1], [x2, y2]) => ({ x1, y1, x2, y2 });
    const svg = make("svg", { viewBox: `0 0 ${(east - west) * scale} ${(north - south) * scale}`, role: "img" });

    function gridOf([a, b, c, d, e, f]) {
      const n = Math.ceil((2 * Math.max(...[west, south, east, north].map(Math.abs))) / step), lines = [];
      const through = (x, y) => at([(a * x + b * y) * step + e, (c * x + d * y) * step + f]);
      for (let k = -n; k <= n; k++) {
        const look = { stroke: grey, "stroke-width": k ? 0.5 : 1.6, opacity: 0.7 };
        lines.push(make("line", { ...ends(through(k, -n), through(k, n)), ...look }));
        lines.push(make("line", { ...ends(through(-n, k), through(n, k)), ...look }));
      }
      return lines;
    }

    const written = ([x, y], text, look) => make("text", { x, y, fill: grey, ...look }, text);
    function arrowOf(end, i) {
      const [x, y] = at(end), [x0, y0] = at([0, 0]), colour = colours[i % colours.length];
      const turn = (Math.atan2(y - y0, x - x0) * 180) / Math.PI;
      return [
        make("line", { ...ends([x0, y0], [x, y]), stroke: colour, "stroke-width": 2 }),
        make("path", { d: "M1 0l-9 4v-8z", fill: colour, transform: `translate(${x} ${y}) rotate(${turn})` }),
        written([x + (end[0] < 0 ? -4 : 4), y + (end[1] < 0 ? 12 : -3)], arrows[i],
          { "text-anchor": end[0] < 0 ? "end" : "start" }),
      ];
    }

    function draw(frame) {
      const told = frame.arrows.map((end, i) => `${arrows[i]} (${end.map((x) => x.toFixed(2)).join(", ")})`);
      svg.setAttribute("aria-label", `${title}, arrows: ${told.join("; ")}`);
      svg.replaceChildren(
        ...gridOf(frame.grid),
        written(at([east, 0]), axes[0], { "text-anchor": "end", dy: 14 }),
        written(at([0, north]), axes[1], { "text-anchor": "end", dx: -4, dy: 14 }),
        ...frame.circles.map((end, i) => {
          const [cx, cy] = at(end);
          return make("circle", { cx, cy, r: 7, fill: "none", stroke: colours[i], "stroke-width": 2 });
        }),
        ...frame.arrows.flatMap(arrowOf));
    }
    return { element: make("div", {}, ...(alone ? [] : [make("p", { "aria-hidden": "true" }, title)]), svg), draw };
  }

  /** A ranking as a list; items that stay glide to their new places, unless the reader wants no motion. */
  function rankingOf(items) {
    const list = make("ol"), still = window.matchMedia("(prefers-reduced-motion: reduce)");
    const entries = items.map(([text, right]) => right
      ? make("li", { class: "right" }, make("span", { class: "unseen" }, "right: "), text) : make("li", {}, text));
    function draw(ranking) {
      const before = new Map([...list.children].map((entry) => [entry, entry.offsetTop]));
      list.replaceChildren(...ranking.map((i) => entries[i]));
      if (still.matches) return;
      for (const entry of list.children) {
        const way = before.has(entry) ? before.get(entry) - entry.offsetTop : 0;
        if (way) entry.animate([{ transform: `translateY(${way}px)` }, { transform: "none" }], { duration: 250, easing: "ease-out" });
      }
    }
    return { element: list, draw };
  }

  function start(figure, data) {
    const planes = data.planes.map((plane) => planeOf(plane, data)), ranking = rankingOf(data.items);
    const cells = data.values.map(() => make("td")), status = make("p", { role: "status", class: "unseen" });
    const sliders = data.sliders.map(({ name, places, at }, i) => {
      const id = `${figure.id}-slider-${i}`;
      const input = make("input", { type: "range", id, min: 0, max: places.length - 1, step: 1, value: at, autocomplete: "off" });
      input.addEventListener("input", draw);
      return { name, places, input, shown: make("span", { "aria-hidden": "true" }), id };
    });
    let waiting = 0;

    function draw() {
      let frame = 0;
      for (const { input, places, shown } of sliders) {
        const place = Number(input.value);
        frame = frame * places.length + place;
        shown.textContent = places[place];
        input.setAttribute("aria-valuetext", places[place]);
      }
      const now = data.frames[frame];
      planes.forEach((plane, i) => plane.draw(now.planes[i]));
      if (now.ranking) ranking.draw(now.ranking);
      now.values.forEach((value, i) => { cells[i].textContent = value; });
      clearTimeout(waiting); // who listens hears the numbers once, when the slider has come to rest
      waiting = setTimeout(() => {
        status.textContent = data.values.map((name, i) => `${name}: ${now.values[i]}`).join("; ");
      }, 500);
    }

    const field = ({ name, input, shown, id }) =>
      make("div", { class: "slider" }, make("label", { for: id }, name), shown, input);
    const rows = data.values.map((name, i) => make("tr", {}, make("th", { scope: "row" }, name), cells[i]));
    figure.querySelector("figcaption").before(make("div", { class: "moving", role: "group", "aria-label": data.title },
      make("div", { class: "sliders" }, ...sliders.map(field)),
      make("div", { class: "planes" }, ...planes.map((plane) => plane.element), ...(data.items.length ? [ranking.element] : [])),
      make("table", {}, make("tbody", {}, ...rows)), status));
    draw();
  }

  for (const script of document.querySelectorAll("script[data-figure]")) {
    start(document.getElementById(script.dataset.figure), JSON.parse(script.textContent));
  }
});
