// The composition playground's page: its fields, its tables, its address. The arithmetic is in playground.js.
(() => {
  "use strict";

  const {
    decode, vector, norm, cosine, neighbours, KINDS, HOWS, SPEECH, operations, plan, without, compose, contributions,
    sharedContexts, LONGEST, lemmaOf, tagOf, spell, resolve, written, spelledLike, suggestions,
  } = window.cdsmPlayground;

  // ---------------------------------------------------------------------------------------------- small parts

  /** An element; text only ever becomes text, never markup. */
  function h(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (typeof value === "function") element.addEventListener(name, value);
      else if (value !== false && value != null) element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children);
    return element;
  }

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
    let listed = "";
    function fill(options, value) {
      if (listed !== (listed = JSON.stringify(options))) {
        select.replaceChildren(...options.map(([key, text, disabled]) => h("option", { value: key, disabled }, text)));
      }
      select.value = value;
    }
    return { element: h("p", { class: "field" }, h("label", { for: id }, title), select), fill };
  }

  /** A text field with a list of at most ten words (the combobox of the ARIA practices), and a note below it. */
  function wordField(id, title, text, suggest, onchange) {
    let active = -1, options = [], committed = text;
    const note = h("div", { class: "note", id: `${id}-note`, "aria-live": "polite" });
    const list = h("ul", { id: `${id}-list`, role: "listbox", "aria-label": title, hidden: true });
    const input = h("input", {
      id, type: "text", maxlength: LONGEST, value: text, role: "combobox", autocomplete: "off", autocapitalize: "none", spellcheck: "false",
      "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": list.id, "aria-describedby": note.id,
      input: open, keydown: press, blur: () => commit(input.value),
    });

    function open() {
      options = suggest(input.value);
      list.replaceChildren(...options.map(([word, speech], i) => h("li", {
        id: `${id}-${i}`, role: "option", "aria-selected": "false",
        mousedown: (event) => { event.preventDefault(); commit(word); },
      }, word.replace(/ \(.*/, ""), h("span", {}, ` ${speech}`))));
      list.hidden = !options.length;
      input.setAttribute("aria-expanded", String(options.length > 0));
      mark(-1);
    }

    function close() {
      list.hidden = true;
      input.setAttribute("aria-expanded", "false");
      mark(-1);
    }

    function mark(i) {
      list.children[active]?.setAttribute("aria-selected", "false");
      active = i;
      list.children[i]?.setAttribute("aria-selected", "true");
      if (i < 0) input.removeAttribute("aria-activedescendant");
      else input.setAttribute("aria-activedescendant", `${id}-${i}`);
    }

    function press(event) {
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        if (list.hidden) open();
        const n = options.length, next = event.key === "ArrowDown" ? active + 1 : Math.max(active, 0) - 1;
        if (n) mark((next + n) % n);
      } else if (event.key === "Enter") commit(active >= 0 ? options[active][0] : input.value);
      else if (event.key === "Escape" && !list.hidden) close();
      else return;
      event.preventDefault();
    }

    function commit(word) {
      close();
      input.value = word;
      if (word !== committed) onchange(committed = word);
    }

    /** What is said of the word. What has not changed stays, so that nobody hears it twice. */
    function say(wrong, ...children) {
      input.setAttribute("aria-invalid", String(wrong));
      note.classList.toggle("wrong", wrong);
      const text = children.map((child) => child.textContent ?? child).join("");
      if (note.textContent !== text) note.replaceChildren(...children);
    }

    /** A button that puts another word into the field. */
    const offer = (word, title) => h("button", {
      type: "button", mousedown: (event) => event.preventDefault(), click: () => { commit(word); input.focus(); },
    }, title);

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
  const EXAMPLE = "#space=reduced&among=NOUN&a=adjective-noun,matrix,cold,war&b=adjective-noun,add,cold,war";
  const isState = (hash) => hash.startsWith("#space=");
  const known = (table, key, otherwise) => (Object.hasOwn(table, key ?? "") ? key ?? "" : otherwise);

  function readState(hash) {
    const asked = new URLSearchParams((isState(hash) ? hash : EXAMPLE).slice(1));
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
    const phrase = ({ kind, how, words }) => [kind, how, ...words.map(encodeURIComponent)].join(",");
    const only = state.among && `&among=${state.among}`;
    return `#space=${state.space}${only}&a=${phrase(state.a)}&b=${phrase(state.b)}`;
  }

  // --------------------------------------------------------------------------------------------------- results

  /** A phrase as one reads it, with its operation. */
  function reading({ kind, how, labels }) {
    const words = labels.map(lemmaOf);
    if (KINDS[kind].clause) words.splice(1, 0, "that");
    return words.join(" ") + (labels.length > 1 ? ` (${HOWS[how]})` : "");
  }

  function phraseResult(book, space, phrase, other, only) {
    const parts = [
      h("h3", {}, `${phrase.letter}: ${phrase.name}`),
      h("p", { class: "formula" }, phrase.terms.map((term) => term.name).join(" + ")),
    ];
    if (phrase.how === "mult" && !space.columns) {
      parts.push(h("p", { class: "warning" },
        "The axes of this space have no meaning of their own, and a product of components depends on them: turn the ",
        "space, and the result is another. ",
        h("a", { href: "../notebooks/02-composition.html#why-it-fails-on-dense-vectors" }, "Why it fails"), "."));
    }
    const allowed = (label) => !phrase.labels.includes(label) && (!only || tagOf(label) === only);
    const nearest = (query, k) => neighbours(book, space, query, k, allowed);
    if (norm(phrase.vector) > 0) {
      parts.push(table(`neighbours-${phrase.letter}`, `Nearest words: ${AMONG[only]}, the phrase\u2019s own left out`,
        ["Word", "Cosine"], nearest(phrase.vector, 10).map(([label, value]) => [spell(label), cell(value, 1)])));
    } else {
      parts.push(h("p", { class: "warning" }, "Nothing is left: no context is among the strongest of every word. ",
        "A vector of zeros has no neighbours, and its cosine with anything is 0."));
    }
    if (phrase.labels.length > 1) {
      const head = ["Left out", "Nearest then", "Cosine with the whole"];
      const effects = phrase.labels.map((label, i) => {
        const rest = compose(book, space, phrase, without(plan(phrase.kind, phrase.how), i)).vector;
        const near = norm(rest) > 0 ? nearest(rest, 4).map(([word]) => lemmaOf(word)).join(", ") : "none";
        const cells = [h("td", {}, near), cell(cosine(rest, phrase.vector))];
        return [lemmaOf(label), ...cells, ...(other ? [cell(cosine(rest, other.vector))] : [])];
      });
      if (other) head.push(`Cosine with ${other.letter}`);
      parts.push(table(`effects-${phrase.letter}`, "The effect of each word", head, effects));
    }
    return h("section", {}, ...parts);
  }

  function similarityResult(book, space, a, b, similarity) {
    const parts = contributions(a, b), largest = Math.max(...parts.flat());
    const rows = parts.map((line, i) => [a.terms[i].name, ...line.map((part) => cell(part, largest))]);
    const found = [
      h("h3", {}, "Similarity of the two phrases, and why"),
      h("p", {}, "Their cosine is ",
        h("strong", { id: "playground-cosine", "data-value": similarity }, shown(similarity)),
        ". It is a sum: each term of A with each term of B adds its part."),
      table("contributions", "What each pair of terms adds to the cosine",
        ["A \\ B", ...b.terms.map((term) => term.name)], rows),
    ];
    if (!space.columns) {
      found.push(h("p", {}, "The dimensions of this space have no names, so there is no more to read. ",
        "The counted space shows which contexts two phrases share."));
      return h("section", { class: "wide" }, ...found);
    }
    const shared = sharedContexts(book, a, b);
    const share = (part) => h("td", { class: "number" }, `${Math.round((100 * part) / similarity)} %`);
    if (shared.length) {
      found.push(table("contexts", "The shared contexts that add most to the cosine", ["Context", "Adds", "Share"],
        shared.map(([context, part]) => [spell(context), cell(part, shared[0][1]), share(part)])));
    } else found.push(h("p", {}, "The phrases share no context that is among their strongest."));
    return h("section", { class: "wide" }, ...found);
  }

  // -------------------------------------------------------------------------------------------------- the whole

  function start(root, book) {
    let state = readState(location.hash);
    const fields = {}, parts = [spaceFields(), phraseFields("a"), phraseFields("b")];
    const form = h("form", { "aria-label": "Two phrases", submit: (event) => event.preventDefault() });
    const status = h("p", { class: "status", role: "status" });
    const results = h("div", { class: "results" });
    form.append(...parts.map((part) => part.element));
    root.replaceChildren(form, status, results);
    root.tabIndex = -1;

    /** Say below a field what its word is; its label, or null if it cannot be used. */
    function check(which, i, space) {
      const { kind, how, words } = state[which], { say, offer } = fields[which][i], tags = KINDS[kind].slots[i][1];
      const text = words[i].trim(), { label, others } = resolve(book, text, tags);
      const offers = (labels) => labels.map((other) => offer(written(book, other, tags), spell(other)));
      if (!text) say(false, "Type a word.");
      else if (!label) {
        const number = book.words.length.toLocaleString("en");
        const near = others.length ? others : spelledLike(book, text, tags);
        say(true, `${quoted(text)} is not among the ${number} words. Near it: `, ...offers(near));
      } else {
        const role = plan(kind, how).find((term) => term.functor === i)?.role, stack = space.matrices[role];
        if (stack && !stack.place.has(label)) {
          const having = (other) => stack.place.has(other);
          const near = neighbours(book, space, vector(book, space, label), 3, having).map(([other]) => other);
          say(true, `${spell(label)} has no ${role} matrix here. Words near it that have one: `, ...offers(near));
          return null;
        }
        const speech = SPEECH[tagOf(label)];
        const what = tags.includes(tagOf(label)) ? speech : `Known here only as ${speech}`;
        say(false, what, ...(others.length ? [" \u00b7 also: ", ...offers(others)] : []));
      }
      return label;
    }

    /** The phrase in the fields, composed; null if a word cannot be used. */
    function read(which) {
      const space = book.spaces[state.space], { kind, how, words } = state[which];
      const labels = words.map((_, i) => check(which, i, space));
      if (labels.includes(null)) return null;
      const phrase = { kind, how, labels };
      return { ...phrase, ...compose(book, space, phrase), name: reading(phrase), letter: which.toUpperCase() };
    }

    function update(changed = "") {
      const space = book.spaces[state.space], a = read("a"), b = read("b");
      const similarity = a && b && cosine(a.vector, b.vector);
      status.textContent = changed + (a && b
        ? `Cosine of ${quoted(a.name)} and ${quoted(b.name)}: ${shown(similarity)}.`
        : "A word is missing, unknown or without a matrix: see the note below its field.");
      const sections = [[a, b], [b, a]].filter(([phrase]) => phrase)
        .map(([phrase, other]) => phraseResult(book, space, phrase, other, state.among));
      if (a && b) sections.push(similarityResult(book, space, a, b, similarity));
      results.replaceChildren(...sections);
      for (const box of results.querySelectorAll(".scroll")) {
        if (box.scrollWidth > box.clientWidth) box.tabIndex = 0; // whoever has no mouse scrolls it by the arrow keys
      }
    }

    function spaceFields() {
      const radio = ([id, title]) => h("input", {
        type: "radio", name: "space", id: `playground-space-${id}`, value: id,
        change: () => change(state, { space: id }),
      });
      const radios = Object.entries(SPACES).map((entry) => [radio(entry), ` ${entry[1]}`]);
      const only = choice("playground-among", "Neighbours among", (tag) => change(state, { among: tag }));
      const element = h("fieldset", { class: "spaces" }, h("legend", {}, "Space"),
        ...radios.map((children) => h("label", {}, ...children)), only.element);
      function fill() {
        for (const [input] of radios) input.checked = input.value === state.space;
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

    /** What the reader changed; the address follows. */
    function change(target, values) {
      Object.assign(target, values);
      draw(false);
      history.replaceState(null, "", writeState(state));
    }

    window.addEventListener("hashchange", () => {
      if (!isState(location.hash)) return;
      state = readState(location.hash);
      draw(true);
      root.focus();
    });
    draw(true);
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
