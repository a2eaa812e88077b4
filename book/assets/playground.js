// The composition playground: phrases out of words, by the arithmetic of the book, in the reader's own browser.
// Here is the arithmetic. The page around it is drawn by playground-page.js; the vectors are in playground-data.js,
// which the build writes (book/_ext/playground.py).
(() => {
  "use strict";

  // ------------------------------------------------------------------------------------------------ decoding

  const TYPES = { int8: Int8Array, uint8: Uint8Array, uint16: Uint16Array, float32: Float32Array };

  function unpack({ type, data }) {
    const letters = atob(data), bytes = new Uint8Array(letters.length);
    for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
    return new TYPES[type](bytes.buffer);
  }

  /** Integers times the scale of their row, as Float32Array. */
  function restore({ values, scale }) {
    const whole = unpack(values), scales = unpack(scale), width = values.shape.at(-1);
    const restored = new Float32Array(whole.length);
    for (let i = 0; i < whole.length; i++) restored[i] = whole[i] * scales[Math.floor(i / width)];
    return restored;
  }

  /** Where the corpus has a wrong lemma: how the word is spelled that it stands for. */
  const RESPELT = {
    "specie|NOUN": "species|NOUN", "leave|NOUN": "leaf|NOUN", "taxis|NOUN": "taxes|NOUN", "masse|NOUN": "masses|NOUN",
    "mathematic|NOUN": "mathematics|NOUN", "mechanic|NOUN": "mechanics|NOUN", "politic|NOUN": "politics|NOUN",
    "economic|NOUN": "economics|NOUN", "electronic|NOUN": "electronics|NOUN", "ethic|NOUN": "ethics|NOUN",
    "instal|VERB": "install|VERB",
  };
  const names = (text) => text.split(" ").map((label) => RESPELT[label] ?? label);
  const places = (labels) => new Map(labels.map((label, i) => [label, i]));

  function decode(data) {
    const words = names(data.words);
    const book = { words, place: places(words), contexts: names(data.contexts), spaces: {}, senses: new Map() };
    words.forEach((label) => {
      const lemma = lemmaOf(label);
      book.senses.set(lemma, [...(book.senses.get(lemma) ?? []), label]);
    });
    for (const [id, parts] of Object.entries(data.spaces)) {
      const space = { id, d: parts.d, width: parts.values.shape[1], values: restore(parts), matrices: {} };
      if (parts.columns) space.columns = unpack(parts.columns);
      for (const [role, stack] of Object.entries(parts.matrices)) {
        const shape = stack.values.shape;
        space.matrices[role] = { place: places(names(stack.words)), size: shape[1], values: restore(stack) };
      }
      space.norms = words.map((_, i) => norm(space.values.subarray(i * space.width, (i + 1) * space.width)));
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
  function dot(u, v) {
    let sum = 0;
    for (let i = 0; i < u.length; i++) sum += u[i] * v[i];
    return sum;
  }

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

  /** The largest eigenvalue of a positive semidefinite matrix and its eigenvector, by squaring the matrix. */
  function leading(matrix) {
    let power = matrix;
    for (let time = 0; time < 30; time++) {
      const trace = power.reduce((sum, line, i) => sum + line[i], 0) || 1;
      const last = power.map((line) => line.map((x) => x / trace));
      power = last.map((line) => last.map((other) => dot(line, other)));
    }
    const column = power.reduce((most, line) => (norm(line) > norm(most) ? line : most)), length = norm(column) || 1;
    const along = column.map((x) => x / length);
    return [dot(along, matrix.map((line) => dot(line, along))), along];
  }

  /**
   * The two principal components of a few vectors, each brought to length 1 first: {points: [[x, y], ...], share of
   * the variance}. On each axis the coordinate that is largest in size is positive.
   */
  function principal(vectors) {
    const units = vectors.map((u) => u.map((value) => value / (norm(u) || 1)));
    const mean = add(...units).map((value) => value / units.length);
    const centred = units.map((u) => u.map((value, i) => value - mean[i]));
    const gram = centred.map((u) => centred.map((v) => dot(u, v)));
    const [first, a] = leading(gram);
    const [second, b] = leading(gram.map((line, i) => line.map((x, j) => x - first * a[i] * a[j])));
    const axes = [[first, a], [second, b]].map(([value, along]) => {
      const largest = along.reduce((most, x) => (Math.abs(x) > Math.abs(most) ? x : most));
      return along.map((x) => x * Math.sign(largest) * Math.sqrt(Math.max(value, 0)));
    });
    const all = gram.reduce((sum, line, i) => sum + line[i], 0);
    return { points: vectors.map((_, i) => [axes[0][i], axes[1][i]]), share: (first + second) / all };
  }

  // ------------------------------------------------------------------------------------------------- phrases

  const SPEECH = { NOUN: "noun", VERB: "verb", ADJ: "adjective", ADV: "adverb", PROPN: "name" };
  const NOUN = ["NOUN", "PROPN"], VERB = ["VERB"], ADJ = ["ADJ"];

  // Slots in the order in which the phrase is read. `matrix`: whose matrix, of which role, acts on which slot.
  const KINDS = {
    "word": { title: "one word", slots: [["Word", Object.keys(SPEECH)]] },
    "adjective-noun": { title: "adjective + noun", slots: [["Adjective", ADJ], ["Noun", NOUN]], matrix: ["modifier", 0, 1] },
    "noun-noun": { title: "noun + noun", slots: [["First noun", NOUN], ["Second noun", NOUN]], matrix: ["modifier", 0, 1] },
    "verb-object": { title: "verb + object", slots: [["Verb", VERB], ["Object", NOUN]], matrix: ["object", 0, 1] },
    "subject-verb": { title: "subject + verb", slots: [["Subject", NOUN], ["Verb", VERB]], matrix: ["subject", 1, 0] },
    "subject-clause": {
      title: "subject relative clause (artist that plays jazz)",
      slots: [["Head noun", NOUN], ["Verb", VERB], ["Its object", NOUN]],
      clause: { head: ["subject", 1, 0], argument: ["object", 1, 2] },
    },
    "object-clause": {
      title: "object relative clause (substance that plants absorb)",
      slots: [["Head noun", NOUN], ["Its subject", NOUN], ["Verb", VERB]],
      clause: { head: ["object", 2, 0], argument: ["subject", 2, 1] },
    },
  };
  const HOWS = { add: "addition", mult: "multiplication", matrix: "matrix", splf: "SPLF", plf: "PLF" };

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

  /** Forms that no ending tells: a lemma, then its forms. */
  const IRREGULAR = Object.fromEntries(Object.entries({
    NOUN: `man men, woman women, child children, foot feet, tooth teeth, mouse mice, crisis crises, criterion criteria,
      phenomenon phenomena, medium media, nucleus nuclei, matrix matrices, index indices, larva larvae, species specie`,
    VERB: `make made, take took taken, know knew known, become became, give gave given, find found, see saw seen, go went,
      begin began begun, write wrote written, say said, come came, hold held, show shown, build built, bring brought,
      win won, mean meant, lose lost, send sent, think thought, speak spoke spoken, keep kept, sell sold, meet met,
      fall fell fallen, choose chose chosen, break broke broken, seek sought, bear bore born, pay paid, tell told,
      lead led, leave left, draw drew drawn, grow grew grown, rise rose risen, stand stood, feel felt, spend spent,
      understand understood, get got, fight fought, wear wore worn, teach taught, drive drove driven, eat ate eaten,
      fly flew flown, throw threw thrown, catch caught, buy bought, shoot shot, hear heard, sing sang sung, feed fed,
      steal stole stolen, strike struck, hide hid hidden, withdraw withdrew, drink drank, ride rode, sink sank sunk`,
  }).map(([tag, text]) => [tag, new Map(text.split(/,\s*/).flatMap((group) => {
    const [lemma, ...forms] = group.trim().split(/\s+/);
    return forms.map((form) => [form, lemma]);
  }))]));
  /** Endings and what stands in their place in the lemma; the first that gives a known word is right. */
  const ENDINGS = {
    NOUN: "s- ies-y ves-f ves-fe es- es-is", VERB: "s- ies-y es- d- ied-y ed- ing-e ing- ying-ie",
    ADJ: "r- er- ier-y st- est- iest-y",
  };

  /** The word of a part of speech that a form stands for: the lemma itself, or an inflected form of it; or null. */
  function sense(book, form, tag) {
    const endings = (ENDINGS[tag] ?? "").split(" ").map((ending) => ending.split("-"));
    const stems = endings.filter(([end]) => end && form.endsWith(end))
      .map(([end, other]) => form.slice(0, -end.length) + other);
    const single = stems.map((stem) => stem.replace(/([bdfglmnprt])\1$/, "$1"));
    const lemma = [form, IRREGULAR[tag]?.get(form), ...stems, ...single]
      .find((other) => book.senses.get(other)?.includes(`${other}|${tag}`));
    return lemma ? `${lemma}|${tag}` : null;
  }

  /** All the words that a form may stand for: those of which it is the lemma come first. */
  function sensesOf(book, form) {
    const exact = book.senses.get(form) ?? [];
    const others = Object.keys(SPEECH).map((tag) => sense(book, form, tag));
    return [...exact, ...others.filter((label) => label && !exact.includes(label))];
  }

  /** A lemma with the ending -s: a noun's plural, a verb's third person. */
  const addS = (lemma) => `${lemma.replace(/([^aeiou])y$/, "$1ie").replace(/(s|x|z|ch|sh|[^o]o)$/, "$1e")}s`;

  const ARTICLES = ["a", "an", "the"], RELATIVES = ["that", "which", "who", "whom"];

  /**
   * What a line of text may mean: {forms: its words as typed, unknown: those not known, readings: [{kind, labels}, ...]}.
   * The best reading comes first: of frequent words, its verb agreeing with its subject.
   */
  function understand(book, line) {
    const forms = [], named = [], typed = line.slice(0, 4 * LONGEST).toLowerCase().replace(/([^\s.]{2})[.?!]$/, "$1");
    let article = false, clause = false;
    for (const form of typed.split(/[\s,;"\u201c\u201d]+/).filter(Boolean)) {
      if (ARTICLES.includes(form)) article = true;
      else if (RELATIVES.includes(form) && forms.length === 1 && !clause) clause = true;
      else {
        forms.push(form.slice(0, LONGEST));
        named.push(article);
        article = false;
      }
    }
    const unknown = forms.filter((form) => !sensesOf(book, form).length);
    const fits = ([, { slots, clause: hasClause }]) => slots.length === forms.length && clause === Boolean(hasClause);
    const readings = unknown.length ? [] : Object.entries(KINDS).filter(fits).map(([kind, { slots }]) => {
      const rarely = (label) => tagOf(label) === "PROPN" && book.senses.get(lemmaOf(label))[0] !== label;
      const of = (form, tags) => tags.map((tag) => sense(book, form, tag)).find((label) => label && !rarely(label));
      const place = (form, i) => of(form, slots[i][1].filter((tag) => !named[i] || tag !== "VERB"));
      return { kind, labels: kind === "word" ? sensesOf(book, forms[0]).slice(0, 1) : forms.map(place) };
    }).filter(({ labels }) => labels.every(Boolean));
    const cost = ({ kind, labels }) => {
      const changed = labels.map((label, i) => lemmaOf(label) !== forms[i]);
      const rare = labels.reduce((sum, label) => sum + Math.log2(book.place.get(label) + 2), 0);
      const odd = kind === "noun-noun" ? changed[0] : labels.some((_, i) => changed[i] && /(ed|ing)$/.test(forms[i]));
      const [subject, verb] = kind === "subject-clause" ? [0, 1] : [1, 2];
      const third = changed[verb] && forms[verb].endsWith("s");
      const apart = clause && (changed[subject] ? third : !changed[verb]);
      return rare + (odd ? 4 : 0) + (apart ? 2 : 0);
    };
    return { forms, unknown, readings: readings.sort((a, b) => cost(a) - cost(b)) };
  }

  /** The word that a text means in a slot, `strong` or `strong (adjective)`: {label, others}; label null: unknown. */
  function resolve(book, text, tags) {
    const [, lemma, said] = /^([^]*?)\s*(?:\((\w+)\))?$/.exec(typedWord(text));
    const senses = sensesOf(book, lemma);
    const rank = (label) => (tags.includes(tagOf(label)) ? tags.indexOf(tagOf(label)) : tags.length);
    const ordered = tags.length === Object.keys(SPEECH).length ? senses : [...senses].sort((a, b) => rank(a) - rank(b));
    const label = said ? ordered.find((sense) => SPEECH[tagOf(sense)] === said) ?? null : ordered[0] ?? null;
    return { label, others: ordered.filter((sense) => sense !== label) };
  }

  /** How one writes a label in a slot: the bare lemma where that means this word. */
  const written = (book, label, tags) =>
    resolve(book, lemmaOf(label), tags).label === label ? lemmaOf(label) : spell(label);

  /** Damerau-Levenshtein distance: letters put in, left out, replaced, or exchanged with their neighbours. */
  function distance(a, b) {
    const d = [Array.from({ length: b.length + 1 }, (_, j) => j)];
    for (let i = 1; i <= a.length; i++) {
      d[i] = [i];
      for (let j = 1; j <= b.length; j++) {
        d[i][j] = Math.min(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + Number(a[i - 1] !== b[j - 1]));
        if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) d[i][j] = Math.min(d[i][j], (d[i - 2]?.[j - 2] ?? 9) + 1);
      }
    }
    return d[a.length][b.length];
  }

  /**
   * The words that may be meant by a misspelling, at most k: one letter away, or two in a word of eight and more;
   * those of the wanted parts of speech first among equals.
   */
  function spelledLike(book, text, tags, k = 3) {
    const form = typedWord(text).replace(/\s*\(\w*\)?$/, ""), most = form.length >= 8 ? 2 : 1;
    const far = (word) => (Math.abs(word.length - form.length) > most ? most + 1 : distance(form, word));
    const apart = (lemma) => Math.min(far(lemma), form.endsWith("s") ? far(addS(lemma)) : most + 1);
    const other = (label) => (tags.includes(tagOf(label)) ? 0 : 0.5);
    const near = book.words.map((label) => [apart(lemmaOf(label)), label]).filter(([letters]) => letters <= most);
    return near.sort((a, b) => a[0] + other(a[1]) - b[0] - other(b[1])).slice(0, k).map(([, label]) => label);
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
    RESPELT, principal, understand, addS,
  };
})();
