// Figures that a reader moves. Beside such a figure the page holds what it shows at each place of its sliders, as the
// library computed it (cdsm_lib/sliders.py); this script only shows it. Without it, and on paper, the still picture
// stays.
document.addEventListener("DOMContentLoaded", () => {
  const SIDE = 300; // units of a picture's longer side
  const set = (element, attributes) => {
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  };
  const make = (tag, attributes = {}, ...children) => {
    const svg = ["svg", "path", "line", "circle", "text"].includes(tag);
    const element = document.createElementNS(`http://www.w3.org/${svg ? "2000/svg" : "1999/xhtml"}`, tag);
    set(element, attributes);
    element.append(...children);
    return element;
  };

  /** A plane as SVG; `draw(frame)` shows the grid, the arrows and the circles of a place. */
  function planeOf({ title, arrows }, { box: [west, south, east, north], step, axes, colours, grey, planes }) {
    const scale = SIDE / Math.max(east - west, north - south);
    const at = (x, y) => [(x - west) * scale, (north - y) * scale];
    const ends = ([x1, y1], [x2, y2]) => ({ x1, y1, x2, y2 });
    const written = ([x, y], text, look) => make("text", { x, y, fill: grey, ...look }, text);

    const n = Math.ceil((2 * Math.max(...[west, south, east, north].map(Math.abs))) / step), grid = [];
    for (let k = -n; k <= n; k++) {
      for (const line of [[[k, -n], [k, n]], [[-n, k], [n, k]]]) {
        const look = { stroke: grey, "stroke-width": k ? 0.5 : 1.6, opacity: 0.7 };
        grid.push([make("line", look), line.map(([x, y]) => [x * step, y * step])]);
      }
    }
    const colour = (i) => colours[i % colours.length];
    const drawn = arrows.map((name, i) => [
      make("line", { stroke: colour(i), "stroke-width": 2 }), make("path", { d: "M1 0l-9 4v-8z", fill: colour(i) }),
      written([0, 0], name),
    ]);
    const circles = arrows.map((_, i) => make("circle", { fill: "none", stroke: colour(i), "stroke-width": 2 }));
    const svg = make("svg", { viewBox: `0 0 ${(east - west) * scale} ${(north - south) * scale}`, role: "img" },
      ...grid.map(([line]) => line),
      written(at(east, 0), axes[0], { "text-anchor": "end", dx: -4, dy: 14 }),
      written(at(0, north), axes[1], { "text-anchor": "end", dx: -4, dy: 14 }),
      ...circles, ...drawn.flatMap(([line, head]) => [line, head]), ...drawn.map(([, , name]) => name));

    function draw(frame) {
      const [a, b, c, d, e, f] = frame.grid;
      const moved = ([x, y]) => at(a * x + b * y + e, c * x + d * y + f);
      for (const [line, [from, to]] of grid) set(line, ends(moved(from), moved(to)));
      frame.arrows.forEach((end, i) => {
        const [x, y] = at(...end), [x0, y0] = at(0, 0), [line, head, name] = drawn[i];
        const turn = (Math.atan2(y - y0, x - x0) * 180) / Math.PI;
        set(line, ends([x0, y0], [x, y]));
        set(head, { transform: `translate(${x} ${y}) rotate(${turn})` });
        set(name, { x: x + (end[0] < 0 ? -4 : 4), y: y + (end[1] < 0 ? 12 : -3), "text-anchor": end[0] < 0 ? "end" : "start" });
      });
      circles.forEach((circle, i) => {
        const [cx, cy] = at(...(frame.circles[i] ?? [0, 0]));
        set(circle, { cx, cy, r: frame.circles[i] ? 7 : 0 });
      });
      const told = frame.arrows.map((end, i) => `${arrows[i]} (${end.map((x) => x.toFixed(2)).join(", ")})`);
      set(svg, { "aria-label": `${title}, arrows: ${told.join("; ")}` });
    }
    const heading = planes.length > 1 ? [make("p", { "aria-hidden": "true" }, title)] : [];
    return { element: make("div", {}, ...heading, svg), draw };
  }

  /** A ranking as a list; what stays in it glides to its new place, unless the reader wants no motion. */
  function rankingOf(items, length) {
    const calm = window.matchMedia("(prefers-reduced-motion: reduce)");
    const lines = Array.from({ length }, () => {
      const mark = make("span", { class: "unseen" }), text = make("span");
      return { entry: make("li", {}, mark, text), mark, text };
    });
    let before = [];
    function draw(ranking) {
      ranking.forEach((item, i) => {
        const { entry, mark, text } = lines[i], came = before.indexOf(item);
        const [words, right] = items[item];
        text.textContent = words;
        mark.textContent = right ? "right: " : "";
        entry.className = right ? "right" : "";
        if (came < 0 || came === i || calm.matches) return;
        entry.animate([{ transform: `translateY(${100 * (came - i)}%)` }, { transform: "none" }], 250);
      });
      before = ranking;
    }
    return { element: make("ol", {}, ...lines.map(({ entry }) => entry)), draw };
  }

  function start(figure, data) {
    const planes = data.planes.map((plane) => planeOf(plane, data));
    const ranking = data.items.length ? rankingOf(data.items, data.frames[0].ranking.length) : null;
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
      ranking?.draw(now.ranking);
      now.values.forEach((value, i) => { cells[i].textContent = value; });
      clearTimeout(waiting); // who listens hears the numbers once, when the slider has come to rest
      waiting = setTimeout(() => {
        status.textContent = data.values.map((name, i) => `${name}: ${now.values[i]}`).join("; ");
      }, 500);
    }

    const field = ({ name, input, shown, id }) =>
      make("div", { class: "slider" }, make("label", { for: id }, name), shown, input);
    const rows = data.values.map((name, i) => make("tr", {}, make("th", { scope: "row" }, name), cells[i]));
    figure.classList.add("moved");
    figure.querySelector("figcaption").before(make("div", { class: "moving", role: "group", "aria-label": data.title },
      make("div", { class: "sliders" }, ...sliders.map(field)),
      make("div", { class: "planes" }, ...[...planes, ranking].filter(Boolean).map((part) => part.element)),
      make("table", {}, make("tbody", {}, ...rows)), status));
    draw();
  }

  for (const script of document.querySelectorAll("script[data-figure]")) {
    start(document.getElementById(script.dataset.figure), JSON.parse(script.textContent));
  }
});
