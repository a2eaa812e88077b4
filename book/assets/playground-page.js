// The composition playground's page: its line and fields, its tables and picture, its address. The arithmetic is in
// playground.js.
(() => {
  "use strict";

  const { KINDS, HOWS, AMONG, LONGEST, listed, shown, source, sum } = window.cdsmPlayground;

  // ---------------------------------------------------------------------------------------------- small parts

  /** Makes elements; text only ever becomes text, never markup. */
  const maker = (space) => (tag, attributes = {}, ...children) => {
    const element = document.createElementNS(space, tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (typeof value === "function") element.addEventListener(name, value);
      else if (value !== false && value != null) element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children);
    return element;
  };
  const h = maker("http://www.w3.org/1999/xhtml"), shape = maker("http://www.w3.org/2000/svg");

  /** A cell with a number, and a bar as long as its share of the largest. */
  function cell(value, largest = 0) {
    const td = h("td", { class: "number", "data-value": value }, shown(value));
    if (largest > 0 && value > 0) {
      const bar = h("span", { class: "bar", "aria-hidden": "true" });
      bar.style.setProperty("--part", Math.min(1, value / largest));
      td.append(bar);
    }
    return td;
  }

  /** A table that scrolls in a box of its own; each row begins with its heading. */
  function table(name, caption, head, rows) {
    const line = ([first, ...others]) => h("tr", {}, h("th", { scope: "row" }, first), ...others);
    const titles = head.map((title) => h("th", { scope: "col" }, title));
    return h("div", { class: "scroll", role: "group", "aria-label": caption },
      h("table", { "data-table": name },
        h("caption", {}, caption), h("thead", {}, h("tr", {}, ...titles)), h("tbody", {}, ...rows.map(line))));
  }

  /** A list to choose from; `fill` gives it other options, [[value, text, disabled], ...], and chooses one. */
  function choice(id, title, onchange) {
    const select = h("select", { id, change: () => onchange(select.value) });
    let offered = "";
    function fill(options, value) {
      if (offered !== (offered = JSON.stringify(options))) {
        select.replaceChildren(...options.map(([key, text, disabled]) => h("option", { value: key, disabled }, text)));
      }
      select.value = value;
    }
    return { element: h("p", { class: "field" }, h("label", { for: id }, title), select), fill };
  }

  const PLAIN = { type: "text", autocomplete: "off", autocapitalize: "none", spellcheck: "false" };

  /** A text field with at most ten words to choose from, and a note below it. */
  function wordField(id, title, text, suggest, onchange) {
    const note = h("div", { class: "note", id: `${id}-note`, "aria-live": "polite" });
    const list = h("datalist", { id: `${id}-list` });
    const option = ([word, speech]) => h("option", { value: word }, speech);
    const fill = async () => {
      const typed = input.value, found = await suggest(typed);
      if (typed === input.value) list.replaceChildren(...found.map(option));
    };
    const input = h("input", {
      ...PLAIN, id, maxlength: LONGEST, value: text, list: list.id, "aria-describedby": note.id,
      focus: fill, input: fill, change: () => onchange(input.value),
    });

    /** What is said of the word. What has not changed stays, so that nobody hears it twice. */
    function say(wrong, ...children) {
      input.setAttribute("aria-invalid", String(wrong));
      note.classList.toggle("wrong", wrong);
      const text = children.map((child) => child.textContent ?? child).join("");
      if (note.textContent !== text) note.replaceChildren(...children);
    }

    /** A button that puts another word into the field. */
    const offer = (word, meant) => h("button", {
      type: "button", click: () => { onchange(input.value = word); input.focus(); },
    }, meant);

    const element = h("div", { class: "field" }, h("label", { for: id }, title), input, list, note);
    return { element, say, offer };
  }

  // ------------------------------------------------------------------------------------------------ the choices

  const EXAMPLES = [
    "hot dog", "black hole", "cold war", "weapon that archers draw", "substance that plants absorb", "artist that plays jazz",
  ];
  const SPACES = {
    "reduced": "Reduced: dense vectors from counts, and matrices",
    "counted": "Counted: contexts that have names",
    "skip-gram": "Skip-gram: dense vectors that were trained",
  };
  const isState = (hash) => /^#(space|line)=/.test(hash);

  // --------------------------------------------------------------------------------------------------- results

  /** One phrase: its neighbours, or what is wrong with it and `saying`, buttons with other lines. */
  function phraseResult({ letter, name, text, lines, near, formula, nothing, axes }, only, saying) {
    const parts = [h("h2", {}, `${letter}: ${name}`)];
    if (text) return h("section", {}, ...parts, h("p", { class: "note" }, text, ...lines.map((line) => saying(line, line, ""))));
    if (formula) parts.push(h("p", { class: "formula" }, formula));
    if (axes) {
      parts.push(h("p", { class: "warning" },
        "The axes of this space have no meaning of their own, and a product of components depends on them: turn the ",
        "space, and the result is another. ",
        h("a", { href: "../notebooks/02-composition.html#why-it-fails-on-dense-vectors" }, "Why it fails"), "."));
    }
    parts.push(nothing
      ? h("p", { class: "warning" }, "Nothing is left: no context is among the strongest of every word. ",
        "A vector of zeros has no neighbours, and its cosine with anything is 0.")
      : table(`neighbours-${letter}`, `Nearest of all other ${only ? AMONG[only] : "words"}`,
        ["Word", "Cosine"], near.map(([word, value]) => [word, cell(value, 1)])));
    return h("section", {}, ...parts);
  }

  function effectsResult({ letter, effects }, other) {
    const head = ["Left out", "Nearest then", "Cosine with the whole", ...(other ? [`Cosine with ${other.letter}`] : [])];
    const rows = effects.map(([word, near, ...cosines]) => [word, h("td", {}, near), ...cosines.map((value) => cell(value))]);
    return h("section", {}, table(`effects-${letter}`, `${letter}: the effect of each word`, head, rows));
  }

  // -------------------------------------------------------------------------------------------------- the picture

  const MARKS = {
    A: "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z", B: "M0-5.5l5.5 9.5h-11z", both: "M0-6.5l6.5 6.5-6.5 6.5-6.5-6.5z",
    word: "M-4-4h8v8h-8z",
  };
  const marked = (mark, x, y, size) =>
    shape("path", { class: `mark ${mark}`, d: MARKS[mark], transform: `translate(${x} ${y}) scale(${size})` });

  /** Where each label goes: of the places round its mark the one that covers least of what is there already. */
  function placeLabels(points, width, height) {
    const cut = (from, to) => Math.max(0, to - from), round = (x, y, r) => [x - r, y - r, x + r, y + r];
    const taken = points.map(({ x, y, main }) => round(x, y, main ? 9 : 6));
    const over = (p, q) => cut(Math.max(p[0], q[0]), Math.min(p[2], q[2])) * cut(Math.max(p[1], q[1]), Math.min(p[3], q[3]));
    for (const point of points) {
      const wide = point.text.length * (point.main ? 7.6 : 6.9) + 4;
      let least = Infinity;
      for (let turn = 0; turn < 96; turn++) {
        const far = [9, 16, 28, 42, 58, 76][Math.floor(turn / 16)] + (point.main ? 4 : 0), angle = (turn * Math.PI) / 8;
        const x = point.x + Math.cos(angle) * far + ((Math.cos(angle) - 1) * wide) / 2;
        const y = point.y + Math.sin(angle) * far + (Math.sin(angle) - 1) * 8, box = [x, y, x + wide, y + 16];
        const outside = cut(x, 0) + cut(width, x + wide) + cut(y, 0) + cut(height, y + 16);
        const cost = taken.reduce((sum, other) => sum + over(box, other), far / 10 + 50 * outside);
        if (cost < least) [least, point.box, point.far] = [cost, box, far];
        if (least <= far / 10) break; // it covers nothing, and no place is nearer
      }
      taken.push(point.box);
    }
  }

  function pictureResult({ points: given, share }, letters, width) {
    const points = given.map((point) => ({ ...point })), [xs, ys] = [0, 1].map((k) => points.map(({ at }) => at[k]));
    const side = Math.min(90, width / 6), [left, low] = [Math.min(...xs), Math.min(...ys)];
    const [wide, high] = [Math.max(...xs) - left, Math.max(...ys) - low];
    const scale = Math.min((width - 2 * side) / (wide || 1), 380 / (high || 1)), height = Math.round(high * scale) + 70;
    points.forEach((point, i) => {
      point.x = (width - wide * scale) / 2 + (xs[i] - left) * scale;
      point.y = height - 35 - (ys[i] - low) * scale;
    });
    placeLabels(points, width, height);
    const beside = (p) => points.filter((q) => q !== p).map((q) => [Math.hypot(p.x - q.x, p.y - q.y), q.text])
      .sort((a, b) => a[0] - b[0]).slice(0, 3).map(([, text]) => text);
    const told = points.filter(({ main, mark }) => main || mark === "word")
      .map((point) => `${point.text} lies nearest to ${listed(beside(point))}`);
    const svg = shape("svg", {
      viewBox: `0 0 ${width} ${height}`, role: "img", style: `max-width: ${width}px`,
      "aria-label": `In the picture, ${told.join("; ")}.`,
    }, ...points.filter(({ far }) => far > 20).map(({ x, y, box }) => shape("line", {
      x1: x, y1: y, x2: Math.min(Math.max(x, box[0]), box[2]), y2: Math.min(Math.max(y, box[1]), box[3]),
    })), ...points.map(({ x, y, mark, main }) => marked(mark, x, y, main ? 1.6 : 1)),
    ...points.map(({ text, box, main }) => shape("text", {
      x: (box[0] + box[2]) / 2, y: box[1] + 12, "text-anchor": "middle", class: main && "main",
    }, text)));
    const key = (mark) => shape("svg", { viewBox: "-7 -7 14 14", class: "key", "aria-hidden": "true" }, marked(mark, 0, 0, 1));
    const rows = points.map(({ text, role, mark, cosines }) =>
      [text, h("td", {}, key(mark), ` ${role}`), ...cosines.map((value) => cell(value))]);
    return h("section", { class: "wide picture" }, h("h2", {}, "A picture"), h("figure", {}, svg, h("figcaption", {},
      `These ${points.length} vectors, each brought to length 1, along their two principal axes, which hold `
      + `${Math.round(100 * share)}% of their variance. Compare the cosines, which hold all of it:`)),
    table("picture", "What is in the picture",
      ["Word", "What it is", ...letters.map((letter) => `Cosine with ${letter}`)], rows));
  }

  function similarityResult({ similarity, parts, terms, contexts, named }) {
    const largest = Math.max(...parts.flat()), rows = parts.map((line, i) => [terms[0][i], ...line.map((part) => cell(part, largest))]);
    const share = (part) => h("td", { class: "number" }, `${Math.round((100 * part) / similarity)}%`);
    const shared = contexts.map(([context, part]) => [context, cell(part, contexts[0][1]), share(part)]);
    return h("section", { class: "wide" }, h("h2", {}, "Similarity of the two phrases, and why"),
      h("p", {}, "Their cosine is ", h("strong", { id: "playground-cosine", "data-value": similarity }, shown(similarity)),
        ". It is a sum: each term of A with each term of B adds its part."),
      table("contributions", "What each pair of terms adds to the cosine", ["A \\ B", ...terms[1]], rows),
      shared.length ? table("contexts", "The shared contexts that add most to the cosine", ["Context", "Adds", "Share"], shared)
        : h("p", {}, named ? "The phrases share no context that is among their strongest."
          : "The dimensions of this space have no names; the counted space shows which contexts two phrases share."));
  }

  // -------------------------------------------------------------------------------------------------- the whole

  /** Lets the page do other work; if asked, until what is new has been drawn (a hidden page draws nothing). */
  const pause = (drawn = false) => new Promise((go) => {
    if (drawn && !document.hidden) requestAnimationFrame(() => setTimeout(go));
    else setTimeout(go);
  });

  /** Draws the page and its first answer, and says `answered` then. */
  function start(root, ask, answered) {
    let state = null, ways = {}, picture = null, asked = 0, width = 0, address = "";
    const fields = {}, parts = [spaceFields(), phraseFields("a"), phraseFields("b")];
    const line = lineField(), status = h("p", { class: "status", role: "status" });
    const results = h("div", { class: "results" });
    const form = h("form", { "aria-label": "Two phrases", submit: (event) => event.preventDefault() });
    const fold = h("details", {}, h("summary", {}, "Set it by hand"), form);
    form.append(...parts.map((part) => part.element));
    root.replaceChildren(line.element, fold, status, results);
    root.tabIndex = -1;

    /** A button that composes a line. */
    function saying(title, text, kind) {
      return h("button", { type: "button", click: () => { say(text, kind); line.focus(); } }, title);
    }

    /** The line above all, its examples, and what is said of it. */
    function lineField() {
      const radios = EXAMPLES.map((text) =>
        h("input", { type: "radio", name: "example", value: text, change: () => say(text) }));
      const note = h("div", { class: "note", id: "playground-line-note", "aria-live": "polite" });
      const input = h("input", {
        ...PLAIN, id: "playground-line", maxlength: 4 * LONGEST, enterkeyhint: "go", "aria-describedby": note.id,
      });
      const copied = h("span", { "aria-live": "polite" });

      async function copy() {
        history.replaceState(null, "", address);
        const done = () => "Copied.", refused = () => "Your browser forbids it: copy the address of the page.";
        copied.textContent = await (navigator.clipboard?.writeText(location.href).then(done, refused) ?? refused());
      }

      function fill({ text, then }) {
        const wrong = Boolean(state.line && !state.reading);
        input.value = state.line;
        input.setAttribute("aria-invalid", String(wrong));
        note.classList.toggle("wrong", wrong);
        note.replaceChildren(text, ...then.map((button) => saying(...button)));
        copied.textContent = "";
        for (const radio of radios) radio.checked = radio.value === state.line;
      }

      function submit(event) {
        event.preventDefault();
        const text = input.value.trim();
        if (text) return say(text);
        input.setAttribute("aria-invalid", "true");
        note.classList.add("wrong");
        note.replaceChildren("Type a phrase, or choose an example.");
        input.focus();
      }
      const element = h("form", { class: "line", "aria-label": "One phrase", submit },
        h("div", { class: "chips", role: "radiogroup", "aria-label": "Examples" },
          ...radios.map((radio, i) => h("label", {}, radio, h("span", {}, EXAMPLES[i])))),
        h("label", { for: input.id }, "A phrase"),
        h("div", { class: "typed" }, input, h("button", {}, "Compose"), h("button", { type: "button", click: copy }, "Copy link"), copied),
        note);
      return { element, fill, focus: () => input.focus() };
    }

    function spaceFields() {
      const space = choice("playground-space", "Space", (id) => change(state, { space: id }));
      const only = choice("playground-among", "Neighbours among", (tag) => change(state, { among: tag }));
      const element = h("fieldset", { class: "spaces" }, h("legend", {}, "Both phrases"), space.element, only.element);
      function fill() {
        space.fill(Object.entries(SPACES), state.space);
        only.fill(Object.entries(AMONG), state.among);
      }
      return { element, fill };
    }

    function phraseFields(which) {
      const id = `playground-${which}`, places = h("div", {});
      const kind = choice(`${id}-kind`, "Kind of phrase", (value) => {
        const { words } = state[which];
        change(state[which], { kind: value, words: KINDS[value].slots.map((_, i) => words[i] ?? "") });
      });
      const how = choice(`${id}-how`, "Operation", (value) => change(state[which], { how: value }));
      const legend = h("legend", {}, `Phrase ${which.toUpperCase()}`);
      let built = null;

      function fill(anew, judged) {
        const phrase = state[which], { slots } = KINDS[phrase.kind];
        const lacking = (way) => `${HOWS[way]} (this space has no such matrices)`;
        kind.fill(Object.entries(KINDS).map(([name, { title }]) => [name, title]), phrase.kind);
        const title = (way, has) => (slots.length === 1 ? "none" : has ? HOWS[way] : lacking(way));
        how.fill(ways[which].map(([way, has]) => [way, title(way, has), !has]), phrase.how);
        if (anew || built !== phrase.kind) {
          built = phrase.kind;
          fields[which] = slots.map(([title], i) => wordField(`${id}-${i}`, title, phrase.words[i],
            (typed) => ask("suggest", { state, which, i, typed }), (text) => change(state[which].words, { [i]: text })));
          places.replaceChildren(...fields[which].map((field) => field.element));
        }
        judged.forEach(({ wrong, text, offers }, i) => {
          const { say: note, offer } = fields[which][i];
          note(wrong, text, ...offers.map(([word, meant]) => offer(word, meant)));
        });
      }
      return { element: h("fieldset", { id }, legend, kind.element, how.element, places), fill };
    }

    /** Ask for a state's results and show them, unless another was asked for meanwhile. */
    async function show(wanted, { anew = true, write = true } = {}) {
      const turn = ++asked;
      root.setAttribute("aria-busy", "true");
      const told = await ask("answer", { state, ...wanted });
      if (turn !== asked) return;
      ({ state, ways, address } = told);
      if (write) history.replaceState(null, "", address);
      line.fill(told.heard);
      parts[0].fill();
      parts[1].fill(anew, told.fields.a);
      parts[2].fill(anew, told.fields.b);
      status.textContent = told.status;
      const sides = told.sides.filter(({ text }) => !text), letters = sides.map(({ letter }) => letter);
      picture = told.picture && (() => pictureResult(told.picture, letters, Math.min(760, width || results.clientWidth)));
      const steps = [
        () => told.sides.map((side) => phraseResult(side, state.among, saying)),
        () => (picture ? [picture()] : []),
        () => sides.filter(({ effects }) => effects.length).map((side) => effectsResult(side, sides.find((other) => other !== side))),
        () => (told.comparison ? [similarityResult(told.comparison)] : []),
      ], made = [];
      for (const step of steps) {
        await pause();
        if (turn !== asked) return;
        made.push(...step());
      }
      results.replaceChildren(...made);
      await pause(true);
      if (turn !== asked) return;
      for (const box of results.querySelectorAll(".scroll")) {
        if (box.scrollWidth > box.clientWidth) box.tabIndex = 0; // whoever has no mouse scrolls it by the arrow keys
      }
      root.setAttribute("aria-busy", "false");
    }

    /** What the reader changed by hand; the address follows. */
    function change(target, values) {
      Object.assign(target, values);
      if (!("among" in values && state.reading)) Object.assign(state, { line: "", reading: null });
      show({}, { anew: false });
    }

    /** Compose a line; the address follows. */
    const say = (text, kind = "") => show({ hash: `#${new URLSearchParams({ line: text, kind })}` });

    window.addEventListener("hashchange", () => {
      if (!isState(location.hash)) return;
      fold.open ||= location.hash.startsWith("#space");
      show({ hash: location.hash }, { write: false });
      root.focus();
    });
    new ResizeObserver(() => {
      if (Math.abs(results.clientWidth - width) < 20) return;
      width = results.clientWidth;
      if (picture) results.querySelector(".picture")?.replaceWith(picture());
    }).observe(results);
    fold.open = location.hash.startsWith("#space");
    const given = isState(location.hash);
    return show({ hash: given ? location.hash : "#line=hot+dog" }, { write: false }).then(() => {
      answered();
      if (given) root.scrollIntoView();
    });
  }

  // ------------------------------------------------------------------------------------------------- the loading

  /** The worker as a function: ask(task, what) promises its answer. */
  function hire() {
    const worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" }))), waiting = new Map();
    let last = 0;
    worker.onmessage = ({ data: { id, told, problem } }) => {
      const [done, failed] = waiting.get(id);
      waiting.delete(id);
      if (problem) failed(Error(problem));
      else done(told);
    };
    worker.onerror = ({ message }) => waiting.forEach(([, failed]) => failed(Error(message ?? "a script did not start")));
    return (task, asked) => new Promise((done, failed) => {
      waiting.set(++last, [done, failed]);
      worker.postMessage({ id: last, task, asked });
    });
  }

  const here = new URL(".", document.currentScript.src);

  /** One part of the data, a script, since a page from disk may fetch no file; it must have its sum. */
  function part(k, wanted) {
    return new Promise((done, failed) => {
      const refuse = (problem) => failed(Error(`playground-data-${k}.js ${problem}`));
      const load = () => {
        script.remove();
        if (parts[k] === undefined || (wanted !== undefined && sum(parts[k]) !== wanted)) refuse("is not whole, or of another build");
        else done(parts[k]);
      };
      const script = h("script", { src: new URL(`playground-data-${k}.js`, here), error: () => refuse("did not arrive"), load });
      document.head.append(script);
    });
  }
  const parts = {};
  window.cdsmPlaygroundPart = (k, content) => { parts[k] = content; };

  async function load(root) {
    const failed = (problem) => {
      root.replaceChildren(h("p", { role: "alert" }, `The playground cannot go on: ${problem.message}. Load the page again, or build the book again.`));
      root.removeAttribute("aria-busy");
      throw problem;
    };
    const progress = h("progress", { id: "playground-progress", max: 1, value: 0 });
    root.replaceChildren(h("p", {}, h("label", { for: progress.id }, "The playground is loading its words. "), progress));
    try {
      const head = await part(0), texts = [], ask = hire(), needed = isState(location.hash) ? head.parts : head.first;
      progress.max = needed + 1;
      const more = async (last) => {
        const before = texts.length;
        while (texts.length < last) {
          progress.value = texts.length + 1;
          texts.push(await part(texts.length + 1, head.sums[texts.length]));
          delete parts[texts.length];
        }
        if (texts.length > before) await ask("start", { head, texts });
      };
      await more(needed);
      // The first answer needs the first parts; what is asked after it waits for the others.
      let first = true, open;
      const whole = new Promise((done) => { open = done; });
      await start(root, async (task, asked) => {
        if (first) first = false;
        else await whole;
        return ask(task, asked).catch(failed);
      }, () => more(head.parts).then(open, failed));
    } catch (problem) {
      failed(problem);
    }
  }

  const root = document.getElementById("composition-playground");
  if (root) load(root);
})();
