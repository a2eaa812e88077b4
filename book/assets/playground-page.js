// The composition playground's page: its line and fields, its tables and picture, its address. The arithmetic is in
// playground.js.
(() => {
  "use strict";

  const {
    decode, vector, norm, cosine, neighbours, KINDS, HOWS, SPEECH, operations, plan, without, compose, contributions,
    sharedContexts, LONGEST, lemmaOf, tagOf, spell, resolve, written, spelledLike, suggestions, principal, understand,
    addS,
  } = window.cdsmPlayground;

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

  const listed = (words) => words.join(", ").replace(/, ([^,]*)$/, " and $1");
  const shown = (value) => value.toFixed(3).replace("-", "\u2212");
  const quoted = (text) => `\u201c${text}\u201d`;

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
    const fill = () => list.replaceChildren(...suggest(input.value).map(option));
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

  // ----------------------------------------------------------------------------------------------- the address

  const SPACES = {
    "skip-gram": "Skip-gram: dense vectors, and matrices of verbs",
    "counted": "Counted: contexts that have names",
    "reduced": "Reduced: dense vectors from counts, and matrices of adjectives",
  };
  const AMONG = { "": "all words", NOUN: "nouns", VERB: "verbs", ADJ: "adjectives" };
  const EXAMPLES = [
    "hot dog", "cold war", "field trip", "enter a war", "artist that plays jazz", "substance that plants absorb",
  ];
  const isState = (hash) => /^#(space|line)=/.test(hash);
  const known = (table, key, otherwise) => (Object.hasOwn(table, key ?? "") ? key ?? "" : otherwise);

  /** Among which words a line's neighbours are sought unless the address says it. */
  const usually = (kind) => (KINDS[kind].clause || KINDS[kind].matrix?.[0] === "modifier" ? "NOUN" : "");

  /** The state that a line asks for, its phrase by matrices and by addition; or {line, said} if it has no reading. */
  function lineState(book, line, wanted, among) {
    const said = understand(book, line), reading = said.readings.find(({ kind }) => kind === wanted) ?? said.readings[0];
    if (!reading) return { line, said };
    const { kind, labels } = reading, { slots, matrix, clause } = KINDS[kind];
    const phrase = (how) => ({ kind, how, words: labels.map((label, i) => written(book, label, slots[i][1])) });
    return {
      line, said, reading, space: matrix?.[0] === "modifier" ? "reduced" : "skip-gram",
      among: Object.hasOwn(AMONG, among ?? "none") ? among : usually(kind),
      a: phrase(clause ? "plf" : matrix ? "matrix" : "add"), b: phrase("add"),
    };
  }

  function readState(hash) {
    const asked = new URLSearchParams(hash.slice(1));
    const phrase = (text) => {
      const [kind, how, ...words] = (text ?? "").split(",");
      const found = known(KINDS, kind, "word");
      return { kind: found, how: known(HOWS, how, "add"), words: KINDS[found].slots.map((_, i) => (words[i] ?? "").slice(0, LONGEST)) };
    };
    return {
      space: known(SPACES, asked.get("space"), "skip-gram"),
      among: known(AMONG, asked.get("among"), ""),
      a: phrase(asked.get("a")),
      b: phrase(asked.get("b")),
    };
  }

  function writeState(state) {
    if (state.line) {
      const { line, reading, said, among } = state;
      const kind = !reading || reading === said.readings[0] ? "" : `&kind=${reading.kind}`;
      const only = !reading || among === usually(reading.kind) ? "" : `&among=${among}`;
      return `#line=${encodeURIComponent(line).replaceAll("%20", "+")}${kind}${only}`;
    }
    const phrase = ({ kind, how, words }) => [kind, how, ...words.map(encodeURIComponent)].join(",");
    const only = state.among && `&among=${state.among}`;
    return `#space=${state.space}${only}&a=${phrase(state.a)}&b=${phrase(state.b)}`;
  }

  // --------------------------------------------------------------------------------------------------- results

  /** A phrase as one reads it, with its operation. */
  function reading({ kind, how, labels }, line) {
    const words = labels.map(lemmaOf), { clause } = KINDS[kind];
    if (clause) {
      words[clause.head[1]] = addS(words[clause.head[1]]);
      words.splice(1, 0, "that");
    }
    return (line || words.join(" ")) + (labels.length > 1 ? ` (${HOWS[how]})` : "");
  }

  function phraseResult(space, phrase, near, only) {
    const parts = [h("h2", {}, `${phrase.letter}: ${phrase.name}`)];
    if (phrase.labels.length > 1) {
      parts.push(h("p", { class: "formula" }, phrase.terms.map((term) => term.name).join(" + ")));
    }
    if (phrase.how === "mult" && !space.columns) {
      parts.push(h("p", { class: "warning" },
        "The axes of this space have no meaning of their own, and a product of components depends on them: turn the ",
        "space, and the result is another. ",
        h("a", { href: "../notebooks/02-composition.html#why-it-fails-on-dense-vectors" }, "Why it fails"), "."));
    }
    if (norm(phrase.vector) > 0) {
      parts.push(table(`neighbours-${phrase.letter}`, `Nearest of all other ${only ? AMONG[only] : "words"}`,
        ["Word", "Cosine"], near(phrase).map(([label, value]) => [spell(label), cell(value, 1)])));
    } else {
      parts.push(h("p", { class: "warning" }, "Nothing is left: no context is among the strongest of every word. ",
        "A vector of zeros has no neighbours, and its cosine with anything is 0."));
    }
    return h("section", {}, ...parts);
  }

  function effectsResult(book, space, phrase, other, near) {
    const head = ["Left out", "Nearest then", "Cosine with the whole", ...(other ? [`Cosine with ${other.letter}`] : [])];
    const rows = phrase.labels.map((label, i) => {
      const rest = compose(book, space, phrase, without(plan(phrase.kind, phrase.how), i)).vector;
      const words = near(phrase, 4, rest).map(([word]) => lemmaOf(word)).join(", ") || "none";
      const cells = [h("td", {}, words), cell(cosine(rest, phrase.vector))];
      return [lemmaOf(label), ...cells, ...(other ? [cell(cosine(rest, other.vector))] : [])];
    });
    return h("section", {}, table(`effects-${phrase.letter}`, `${phrase.letter}: the effect of each word`, head, rows));
  }

  /** What differs, in one sentence; it ends with the cosine. */
  function difference(a, b, near) {
    const of = [near(a), near(b)].map((found) => found.map(([label]) => label));
    const own = [0, 1].map((i) => of[i].filter((label) => !of[1 - i].includes(label)).slice(0, 3).map(lemmaOf));
    const shared = of[0].filter((label) => of[1].includes(label)).length, by = shown(cosine(a.vector, b.vector));
    if (!own[0].length || !own[1].length) return `Cosine of ${quoted(a.name)} and ${quoted(b.name)}: ${by}.`;
    return `Only ${quoted(a.name)} has ${listed(own[0])} among its ten nearest words, only ${quoted(b.name)} `
      + `${listed(own[1])}; they share ${shared}; cosine ${by}.`;
  }

  // -------------------------------------------------------------------------------------------------- the picture

  const MARKS = {
    A: "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z", B: "M0-5.5l5.5 9.5h-11z", both: "M0-6.5l6.5 6.5-6.5 6.5-6.5-6.5z",
    word: "M-4-4h8v8h-8z",
  };
  const marked = (mark, x, y, size) =>
    shape("path", { class: `mark ${mark}`, d: MARKS[mark], transform: `translate(${x} ${y}) scale(${size})` });

  /** What is in the picture: the phrases, their words, and five neighbours of each: {text, role, mark, vector, main}. */
  function pictured(book, space, phrases, near) {
    const there = phrases.filter(({ vector: made }) => norm(made) > 0), of = new Map();
    const same = there.every(({ labels }) => labels.length > 1 && labels.join() === there[0].labels.join());
    for (const label of there.flatMap(({ labels }) => (labels.length > 1 ? labels : []))) of.set(label, "word");
    for (const phrase of there) {
      for (const [label] of near(phrase, 5).filter(([label]) => of.get(label) !== "word")) {
        of.set(label, of.has(label) ? "both" : phrase.letter);
      }
    }
    const roles = { word: "word of a phrase", both: "near both", A: "near A", B: "near B" };
    return [
      ...there.map(({ letter, name, how, vector: made }) =>
        ({ text: `${letter}: ${same ? HOWS[how] : name}`, role: "phrase", mark: letter, vector: made, main: true })),
      ...[...of].map(([label, mark]) =>
        ({ text: lemmaOf(label), role: roles[mark], mark, vector: vector(book, space, label) })),
    ];
  }

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
      }
      taken.push(point.box);
    }
  }

  function pictureResult(book, space, phrases, near, width) {
    const points = pictured(book, space, phrases, near);
    if (points.length < 3) return [];
    const { points: places, share } = principal(points.map((point) => point.vector));
    const [xs, ys] = [0, 1].map((k) => places.map((at) => at[k])), side = Math.min(90, width / 6);
    const [left, low] = [Math.min(...xs), Math.min(...ys)], [wide, high] = [Math.max(...xs) - left, Math.max(...ys) - low];
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
    const rows = points.map(({ text, role, mark, vector: made }) =>
      [text, h("td", {}, key(mark), ` ${role}`), ...phrases.map((phrase) => cell(cosine(made, phrase.vector)))]);
    return [h("section", { class: "wide picture" }, h("h2", {}, "A picture"), h("figure", {}, svg, h("figcaption", {},
      `These ${points.length} vectors, each brought to length 1, along their two principal axes, which hold `
      + `${Math.round(100 * share)} % of their variance. Compare the cosines, which hold all of it:`)),
    table("picture", "What is in the picture",
      ["Word", "What it is", ...phrases.map(({ letter }) => `Cosine with ${letter}`)], rows))];
  }

  function similarityResult(book, space, a, b, similarity) {
    const parts = contributions(a, b), largest = Math.max(...parts.flat());
    const rows = parts.map((line, i) => [a.terms[i].name, ...line.map((part) => cell(part, largest))]);
    const share = (part) => h("td", { class: "number" }, `${Math.round((100 * part) / similarity)} %`);
    const shared = space.columns ? sharedContexts(book, a, b) : [];
    const contexts = shared.map(([context, part]) => [spell(context), cell(part, shared[0][1]), share(part)]);
    return h("section", { class: "wide" }, h("h2", {}, "Similarity of the two phrases, and why"),
      h("p", {}, "Their cosine is ", h("strong", { id: "playground-cosine", "data-value": similarity }, shown(similarity)),
        ". It is a sum: each term of A with each term of B adds its part."),
      table("contributions", "What each pair of terms adds to the cosine",
        ["A \\ B", ...b.terms.map((term) => term.name)], rows),
      shared.length ? table("contexts", "The shared contexts that add most to the cosine", ["Context", "Adds", "Share"], contexts)
        : h("p", {}, space.columns ? "The phrases share no context that is among their strongest."
          : "The dimensions of this space have no names; the counted space shows which contexts two phrases share."));
  }

  // -------------------------------------------------------------------------------------------------- the whole

  function start(root, book) {
    let state = {}, picture = null;
    const fields = {}, parts = [spaceFields(), phraseFields("a"), phraseFields("b")];
    const line = lineField(), status = h("p", { class: "status", role: "status" });
    const results = h("div", { class: "results" });
    const form = h("form", { "aria-label": "Two phrases", submit: (event) => event.preventDefault() });
    const fold = h("details", {}, h("summary", {}, "Set it by hand"), form);
    form.append(...parts.map((part) => part.element));
    root.replaceChildren(line.element, fold, status, results);
    root.tabIndex = -1;

    /** The line above all, its examples, and what is said of it. */
    function lineField() {
      const radios = EXAMPLES.map((text) =>
        h("input", { type: "radio", name: "example", value: text, change: () => say(text) }));
      const note = h("div", { class: "note", id: "playground-line-note", "aria-live": "polite" });
      const input = h("input", {
        ...PLAIN, id: "playground-line", maxlength: 4 * LONGEST, enterkeyhint: "go", "aria-describedby": note.id,
      });
      const copied = h("span", { "aria-live": "polite" });
      const button = (text, click) => h("button", { type: "button", click }, text);
      const saying = (title, text, kind) => button(title, () => { say(text, kind); input.focus(); });

      async function copy() {
        history.replaceState(null, "", writeState(state));
        const done = () => "Copied.", refused = () => "Your browser forbids it: copy the address of the page.";
        copied.textContent = await (navigator.clipboard?.writeText(location.href).then(done, refused) ?? refused());
      }

      /** Buttons that put other words into the place of one form of the line. */
      function offers(form, labels) {
        const parts = state.line.split(/([\s,;"\u201c\u201d.?!]+)/), at = parts.findIndex((part) => part.toLowerCase() === form);
        const inflected = (lemma) => (/[^s]s$/.test(form) && !lemma.endsWith("s") ? addS(lemma) : lemma);
        const lines = labels.map((label) => parts.map((part, i) => (i === at ? inflected(lemmaOf(label)) : part)).join(""));
        return [...new Set(lines)].map((text) => saying(text, text));
      }

      function heard({ line: text, said, reading: best }) {
        if (!text) return ["Set by hand, below."];
        const title = ({ kind }) => KINDS[kind].title.split(" (")[0];
        if (best) {
          const others = said.readings.filter((other) => other !== best);
          return [`Understood as: ${title(best)}, ${best.labels.map(spell).join(", ")}.`, ...(others.length ? [" Or as: "] : []),
            ...others.map((other) => saying(title(other), text, other.kind))];
        }
        const [form] = said.unknown, near = form ? offers(form, spelledLike(book, form, ["NOUN"])) : [];
        return form ? [unknown(form), ...(near.length ? [" Did you mean: "] : []), ...near]
          : [`${quoted(text)} is none of the phrases that are understood here. They are like the examples, or a single word.`];
      }

      function fill() {
        const wrong = Boolean(state.line && !state.reading);
        input.value = state.line;
        input.setAttribute("aria-invalid", String(wrong));
        note.classList.toggle("wrong", wrong);
        note.replaceChildren(...heard(state));
        copied.textContent = "";
        for (const radio of radios) radio.checked = radio.value === state.line;
      }

      const submit = (event) => { event.preventDefault(); if (input.value.trim()) say(input.value.trim()); };
      const element = h("form", { class: "line", "aria-label": "One phrase", submit },
        h("div", { class: "chips", role: "radiogroup", "aria-label": "Examples" },
          ...radios.map((radio, i) => h("label", {}, radio, h("span", {}, EXAMPLES[i])))),
        h("label", { for: input.id }, "A phrase"),
        h("div", { class: "typed" }, input, h("button", {}, "Compose"), button("Copy link", copy), copied), note);
      return { element, fill, offers };
    }

    const unknown = (text) => `${quoted(text)} is not among the ${book.words.length.toLocaleString("en")} words.`;

    /** What is to be said of a word in its place: {label, or null; wrong: whether it cannot be used; text; near}. */
    function judge(which, i) {
      const space = book.spaces[state.space], { kind, how, words } = state[which], tags = KINDS[kind].slots[i][1];
      const text = words[i].trim(), { label, others } = resolve(book, text, tags);
      if (!text) return { label: null, wrong: false, text: "Type a word.", near: [] };
      if (!label) {
        const near = others.length ? others : spelledLike(book, text, tags);
        return { label, wrong: true, text: unknown(text) + (near.length ? " Near it: " : ""), near };
      }
      const role = plan(kind, how).find((term) => term.functor === i)?.role, stack = space.matrices[role];
      if (stack && !stack.place.has(label)) {
        const having = (other) => stack.place.has(other) && tagOf(other) === tagOf(label);
        const near = neighbours(book, space, vector(book, space, label), 3, having).map(([other]) => other);
        const lacks = `${spell(label)} has no ${role} matrix here.`;
        return { label, wrong: true, text: lacks + (near.length ? " Words near it that have one: " : ""), near };
      }
      const speech = SPEECH[tagOf(label)], what = tags.includes(tagOf(label)) ? speech : `Known here only as ${speech}`;
      return { label, wrong: false, text: what + (others.length ? " \u00b7 also: " : ""), near: others };
    }

    /** The phrase in the fields, composed; without a vector, and with what is wrong, if a word cannot be used. */
    function read(which) {
      const { kind, how, words } = state[which], judged = words.map((_, i) => judge(which, i));
      judged.forEach(({ wrong, text, near }, i) => {
        const { say: note, offer } = fields[which][i], tags = KINDS[kind].slots[i][1];
        note(wrong, text, ...near.map((other) => offer(written(book, other, tags), spell(other))));
      });
      const labels = judged.map(({ label }) => label), letter = which.toUpperCase();
      const at = judged.findIndex(({ label, wrong }) => wrong || !label);
      const phrase = { kind, how, labels, letter };
      if (!labels.includes(null)) phrase.name = reading(phrase, state.line);
      return at < 0 ? { ...phrase, ...compose(book, book.spaces[state.space], phrase) } : { ...phrase, at, ...judged[at] };
    }

    function update(changed = "") {
      const space = book.spaces[state.space], both = [read("a"), read("b")];
      picture = null;
      line.fill();
      results.replaceChildren();
      status.textContent = "";
      if (state.line && !state.reading) return;
      const allowed = (own) => (label) => !own.includes(label) && (!state.among || tagOf(label) === state.among);
      const seek = ({ labels }, query, k) => (norm(query) > 0 ? neighbours(book, space, query, k, allowed(labels)) : []);
      const near = (phrase, k = 10, query = null) =>
        (query ? seek(phrase, query, k) : (phrase.nearest ??= seek(phrase, phrase.vector, 10)).slice(0, k));
      const text = ({ kind, how, labels }) => [kind, how, ...labels].join(), sole = text(both[0]) === text(both[1]);
      const sides = sole ? both.slice(0, 1) : both, phrases = sides.filter((phrase) => phrase.vector), [a, b] = phrases;
      status.textContent = changed + (b ? difference(a, b, near)
        : a && (sole || state.line) ? `Nearest to ${quoted(a.name)}: ${listed(near(a, 3).map(([label]) => lemmaOf(label)))}.`
          : "A word is missing, unknown or without a matrix: see the note below its field.");
      results.append(...sides.filter((phrase) => phrase.vector || state.line).map((phrase) => (phrase.vector
        ? phraseResult(space, phrase, near, state.among)
        : h("section", {}, h("h2", {}, `${phrase.letter}: ${phrase.name}`),
          h("p", { class: "note" }, phrase.text, ...line.offers(state.said.forms[phrase.at], phrase.near))))));
      picture = () => pictureResult(book, space, phrases, near, Math.min(760, results.clientWidth));
      results.append(...(a ? picture() : []), ...phrases.filter(({ labels }) => labels.length > 1)
        .map((phrase) => effectsResult(book, space, phrase, phrases.find((other) => other !== phrase), near)));
      if (b) results.append(similarityResult(book, space, a, b, cosine(a.vector, b.vector)));
      for (const box of results.querySelectorAll(".scroll")) {
        if (box.scrollWidth > box.clientWidth) box.tabIndex = 0; // whoever has no mouse scrolls it by the arrow keys
      }
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

      function suggest(i, text) {
        const { kind, how } = state[which], tags = KINDS[kind].slots[i][1];
        const stack = book.spaces[state.space].matrices[plan(kind, how).find((term) => term.functor === i)?.role];
        return suggestions(book, text.replace(/ \(\w*\)?$/, ""), tags, (label) => !stack || stack.place.has(label))
          .map((label) => [written(book, label, tags), SPEECH[tagOf(label)]]);
      }

      function fill(anew) {
        const phrase = state[which], { slots } = KINDS[phrase.kind];
        const lacking = (way) => `${HOWS[way]} (this space has no such matrices)`;
        kind.fill(Object.entries(KINDS).map(([name, { title }]) => [name, title]), phrase.kind);
        const ways = Object.entries(operations(book.spaces[state.space], phrase.kind));
        const title = (way, has) => (slots.length === 1 ? "none" : has ? HOWS[way] : lacking(way));
        how.fill(ways.map(([way, has]) => [way, title(way, has), !has]), phrase.how);
        if (anew || built !== phrase.kind) {
          built = phrase.kind;
          fields[which] = slots.map(([title], i) => wordField(`${id}-${i}`, title, phrase.words[i],
            (text) => suggest(i, text), (text) => change(state[which].words, { [i]: text })));
          places.replaceChildren(...fields[which].map((field) => field.element));
        }
      }
      return { element: h("fieldset", { id }, legend, kind.element, how.element, places), fill };
    }

    /** Fields and results as the state says; the word fields anew if asked. */
    function draw(anew) {
      let changed = "";
      for (const which of ["a", "b"]) {
        const { kind, how } = state[which];
        if (operations(book.spaces[state.space], kind)[how]) continue;
        if (KINDS[kind].slots.length > 1) {
          changed += `Phrase ${which.toUpperCase()} is now composed by addition: this space has no such matrices. `;
        }
        state[which].how = "add";
      }
      for (const part of parts) part.fill(anew);
      update(changed);
    }

    /** What the reader changed by hand; the address follows. */
    function change(target, values) {
      Object.assign(target, values);
      if (!("among" in values && state.reading)) state.line = "";
      draw(false);
      history.replaceState(null, "", writeState(state));
    }

    /** Take over what an address says: a line, or what was set by hand. */
    function follow(hash) {
      const asked = new URLSearchParams(hash.slice(1)), text = asked.get("line")?.trim().slice(0, 4 * LONGEST);
      if (text) state = { ...state, reading: null, ...lineState(book, text, asked.get("kind"), asked.get("among")) };
      else {
        state = { ...readState(hash), line: "" };
        fold.open = true;
      }
      draw(true);
    }

    /** Compose a line; the address follows. */
    function say(text, kind = "") {
      follow(`#${new URLSearchParams({ line: text, kind })}`);
      history.replaceState(null, "", writeState(state));
    }

    window.addEventListener("hashchange", () => {
      if (!isState(location.hash)) return;
      follow(location.hash);
      root.focus();
    });
    let width = 0;
    new ResizeObserver(() => {
      if (Math.abs(results.clientWidth - width) < 20) return;
      width = results.clientWidth;
      results.querySelector(".picture")?.replaceWith(...picture());
    }).observe(results);
    state = lineState(book, EXAMPLES[0]);
    follow(isState(location.hash) ? location.hash : writeState(state));
    if (isState(location.hash)) root.scrollIntoView();
  }

  const root = document.getElementById("composition-playground");
  if (root && window.cdsmPlaygroundData) {
    window.cdsmPlayground.book = decode(window.cdsmPlaygroundData);
    start(root, window.cdsmPlayground.book);
  } else if (root) {
    root.replaceChildren(h("p", {}, "The vectors are missing (playground-data.js): build the book again."));
  }
})();
