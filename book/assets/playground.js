// The composition playground: phrases out of words, by the arithmetic of the book, in the reader's own browser.
// Here is the arithmetic. The page around it is drawn by playground-page.js; the vectors are in playground-data.js,
// which the build writes (book/_ext/playground.py).
(() => {
  "use strict";

  // ------------------------------------------------------------------------------------------------ decoding

  const TYPES = { int8: Int8Array, uint8: Uint8Array, uint16: Uint16Array, float32: Float32Array };

  function unpack({ type, data }) {
    const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
    return new TYPES[type](bytes.buffer);
  }

  /** Integers times the scale of their row, as Float32Array. */
  function restore({ values, scale }) {
    const whole = unpack(values), scales = unpack(scale), width = values.shape.at(-1);
    return Float32Array.from(whole, (value, i) => value * scales[Math.floor(i / width)]);
  }

  const places = (names) => new Map(names.map((name, i) => [name, i]));

  function decode(data) {
    const words = data.words.split(" ");
    const book = { words, place: places(words), contexts: data.contexts.split(" "), spaces: {}, senses: new Map() };
    words.forEach((label) => {
      const lemma = lemmaOf(label);
      book.senses.set(lemma, [...(book.senses.get(lemma) ?? []), label]);
    });
    for (const [id, parts] of Object.entries(data.spaces)) {
      const space = { id, d: parts.d, width: parts.values.shape[1], values: restore(parts), matrices: {} };
      if (parts.columns) space.columns = unpack(parts.columns);
      for (const [role, stack] of Object.entries(parts.matrices)) {
        const shape = stack.values.shape;
        space.matrices[role] = { place: places(stack.words.split(" ")), size: shape[1], values: restore(stack) };
      }
      space.norms = words.map((_, i) => norm(row(space, i)));
      book.spaces[id] = space;
    }
    return book;
  }

  // ---------------------------------------------------------------------------------------------- arithmetic

  /** The vector of the i-th word: Float64Array of length d. */
  function row(space, i) {
    const start = i * space.width, vector = new Float64Array(space.d);
    for (let j = 0; j < space.width; j++) {
      const value = space.values[start + j];
      if (!space.columns) vector[j] = value;
      else if (value) vector[space.columns[start + j]] = value;
    }
    return vector;
  }

  const vector = (book, space, label) => row(space, book.place.get(label));
  const dot = (u, v) => u.reduce((sum, value, i) => sum + value * v[i], 0);
  const norm = (u) => Math.sqrt(dot(u, u));
  const add = (...vectors) => vectors[0].map((_, i) => vectors.reduce((sum, v) => sum + v[i], 0));
  const multiply = (...vectors) => vectors[0].map((_, i) => vectors.reduce((product, v) => product * v[i], 1));

  function cosine(u, v) {
    const lengths = norm(u) * norm(v);
    return lengths > 0 ? dot(u, v) / lengths : 0;
  }

  /** The matrix of a word times a vector; the matrix stands for zeros beyond its size. */
  function applyMatrix(space, role, label, x) {
    const { place, size, values } = space.matrices[role], y = new Float64Array(space.d);
    const start = place.get(label) * size * size;
    for (let i = 0; i < size; i++) {
      for (let j = 0; j < size; j++) y[i] += values[start + i * size + j] * x[j];
    }
    return y;
  }

  /** The k words of highest cosine among those that `allowed(label)` lets through: [[label, cosine], ...]. */
  function neighbours(book, space, query, k = 10, allowed = () => true) {
    const length = norm(query), found = [];
    book.words.forEach((label, i) => {
      if (!allowed(label)) return;
      let product = 0;
      for (let j = 0, at = i * space.width; j < space.width; j++, at++) {
        product += space.values[at] * query[space.columns ? space.columns[at] : j];
      }
      const lengths = space.norms[i] * length;
      found.push([label, lengths > 0 ? product / lengths : 0]);
    });
    return found.sort((a, b) => b[1] - a[1]).slice(0, k);
  }

  // ------------------------------------------------------------------------------------------------- phrases

  const SPEECH = { NOUN: "noun", VERB: "verb", ADJ: "adjective", ADV: "adverb", PROPN: "name" };
  const NOUN = ["NOUN", "PROPN"], VERB = ["VERB"], ADJ = ["ADJ"];

  // Slots in the order in which the phrase is read. `matrix`: whose matrix, of which role, acts on which slot.
  const KINDS = {
    "word": { title: "one word", slots: [["Word", Object.keys(SPEECH)]] },
    "adjective-noun": {
      title: "adjective noun",
      slots: [["Adjective", ADJ], ["Noun", NOUN]],
      matrix: ["modifier", 0, 1],
    },
    "noun-noun": {
      title: "noun noun",
      slots: [["First noun", NOUN], ["Second noun", NOUN]],
      matrix: ["modifier", 0, 1],
    },
    "verb-object": { title: "verb object", slots: [["Verb", VERB], ["Object", NOUN]], matrix: ["object", 0, 1] },
    "subject-verb": { title: "subject verb", slots: [["Subject", NOUN], ["Verb", VERB]], matrix: ["subject", 1, 0] },
    "subject-clause": {
      title: "relative clause: artist that plays jazz",
      slots: [["Head noun", NOUN], ["Verb", VERB], ["Its object", NOUN]],
      clause: { head: ["subject", 1, 0], argument: ["object", 1, 2] },
    },
    "object-clause": {
      title: "relative clause: substance that plants absorb",
      slots: [["Head noun", NOUN], ["Its subject", NOUN], ["Verb", VERB]],
      clause: { head: ["object", 2, 0], argument: ["subject", 2, 1] },
    },
  };
  const HOWS = { add: "addition", mult: "multiplication", matrix: "matrix times vector", splf: "SPLF", plf: "PLF" };

  /** The operations that a kind of phrase has: {how: whether this space has the matrices for it}. */
  function operations(space, kind) {
    const { slots, matrix, clause } = KINDS[kind];
    if (slots.length === 1) return { add: true };
    const found = { add: true, mult: true };
    if (matrix) found.matrix = matrix[0] in space.matrices;
    if (clause) found.splf = found.plf = "subject" in space.matrices;
    return found;
  }

  /** A phrase is a sum of terms: {of}, a word; {of, role, functor}, a word's matrix times a word; {product}. */
  function plan(kind, how) {
    const { slots, matrix, clause } = KINDS[kind];
    const applied = ([role, functor, of]) => ({ role, functor, of });
    if (how === "matrix") return [applied(matrix)];
    if (how === "splf") return [{ of: clause.head[2] }, applied(clause.argument)];
    if (how === "plf") return [applied(clause.head), applied(clause.argument)];
    if (how === "mult") return [{ product: slots.map((_, i) => i) }];
    return slots.map((_, i) => ({ of: i }));
  }

  /** The plan without one word: a noun takes its terms with it, a verb or modifier leaves the noun as it is. */
  function without(terms, i) {
    const left = terms.flatMap((term) => {
      if (term.product) return term.product.length > 1 ? [{ product: term.product.filter((j) => j !== i) }] : [];
      if (term.of === i) return [];
      return [term.functor === i ? { of: term.of } : term];
    });
    return left.length ? left : [{ of: terms[0].functor }];
  }

  function termVector(book, space, term, labels) {
    const of = (i) => vector(book, space, labels[i]);
    if (term.product) return multiply(...term.product.map(of));
    return term.role ? applyMatrix(space, term.role, labels[term.functor], of(term.of)) : of(term.of);
  }

  function termName(term, labels) {
    const name = (i) => lemmaOf(labels[i]);
    if (term.product) return term.product.map(name).join(" ⊙ ");
    return term.role ? `${name(term.functor)}(${name(term.of)})` : name(term.of);
  }

  /** {vector, terms: [{name, vector}]} of a phrase: kind, how, and the labels of its words. */
  function compose(book, space, { kind, how, labels }, terms = plan(kind, how)) {
    const parts = terms.map((term) => {
      return { name: termName(term, labels), vector: termVector(book, space, term, labels) };
    });
    return { vector: add(...parts.map((part) => part.vector)), terms: parts };
  }

  /** What each pair of terms adds to the cosine of two phrases: [a.terms][b.terms]. */
  function contributions(a, b) {
    const lengths = norm(a.vector) * norm(b.vector);
    return a.terms.map((t) => b.terms.map((u) => (lengths > 0 ? dot(t.vector, u.vector) / lengths : 0)));
  }

  /** What the shared contexts add to the cosine, largest first: [[context, part of the cosine], ...]. */
  function sharedContexts(book, a, b, k = 10) {
    const lengths = norm(a.vector) * norm(b.vector) || 1;
    const parts = book.contexts.map((context, i) => [context, (a.vector[i] * b.vector[i]) / lengths]);
    return parts.filter(([, part]) => part > 0).sort((x, y) => y[1] - x[1]).slice(0, k);
  }

  // --------------------------------------------------------------------------------------------------- words

  const lemmaOf = (label) => label.slice(0, label.lastIndexOf("|"));
  const tagOf = (label) => label.slice(label.lastIndexOf("|") + 1);
  const LONGEST = 60; // letters that are looked at of what was typed
  const typedWord = (text) => text.trim().slice(0, LONGEST).toLowerCase();
  const spell = (label) => `${lemmaOf(label)} (${SPEECH[tagOf(label)]})`;

  /** The word that a text means in a slot, `strong` or `strong (adjective)`: {label, others}; label null: unknown. */
  function resolve(book, text, tags) {
    const [, lemma, said] = /^([^]*?)\s*(?:\((\w+)\))?$/.exec(typedWord(text));
    const senses = book.senses.get(lemma) ?? [];
    const rank = (label) => (tags.includes(tagOf(label)) ? tags.indexOf(tagOf(label)) : tags.length);
    const ordered = tags.length === Object.keys(SPEECH).length ? senses : [...senses].sort((a, b) => rank(a) - rank(b));
    const label = said ? ordered.find((sense) => SPEECH[tagOf(sense)] === said) ?? null : ordered[0] ?? null;
    return { label, others: ordered.filter((sense) => sense !== label) };
  }

  /** How one writes a label in a slot: the bare lemma where that means this word. */
  const written = (book, label, tags) =>
    resolve(book, lemmaOf(label), tags).label === label ? lemmaOf(label) : spell(label);

  /** Levenshtein distance. */
  function distance(a, b) {
    let last = Array.from({ length: b.length + 1 }, (_, j) => j);
    for (let i = 1; i <= a.length; i++) {
      const next = [i];
      for (let j = 1; j <= b.length; j++) {
        next[j] = Math.min(last[j] + 1, next[j - 1] + 1, last[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
      }
      last = next;
    }
    return last[b.length];
  }

  /** The words whose spelling is nearest, at most k, those of the slot's part of speech first among equals. */
  function spelledLike(book, text, tags, k = 3) {
    const lemma = typedWord(text).replace(/\s*\(\w*\)?$/, "");
    const other = (label) => (tags.includes(tagOf(label)) ? 0 : 0.5);
    const scored = book.words.map((label) => [distance(lemma, lemmaOf(label)) + other(label), label]);
    return scored.sort((a, b) => a[0] - b[0]).slice(0, k).map(([, label]) => label);
  }

  /** At most ten words for what was typed so far: beginning with it, of the slot's part of speech, come first. */
  function suggestions(book, typed, tags, allowed) {
    const text = typedWord(typed);
    const score = (label) => (lemmaOf(label).startsWith(text) ? 0 : 2) + (tags.includes(tagOf(label)) ? 0 : 1);
    const fitting = book.words.filter((label) => allowed(label) && lemmaOf(label).includes(text));
    const exact = (label) => (lemmaOf(label) === text ? 0 : 1);
    return fitting.sort((a, b) => score(a) - score(b) || exact(a) - exact(b)).slice(0, 10);
  }

  window.cdsmPlayground = {
    decode, vector, norm, add, multiply, applyMatrix, cosine, neighbours,
    KINDS, HOWS, SPEECH, operations, plan, without, compose, contributions, sharedContexts,
    LONGEST, lemmaOf, tagOf, spell, resolve, written, spelledLike, suggestions,
  };
})();
