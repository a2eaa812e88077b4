// The composition playground: phrases out of words, by the arithmetic of the book, in the reader's own browser.
// Here is the arithmetic, which runs in a worker of its own. The page around it is drawn by playground-page.js; the
// vectors are in playground-data-*.js, which the build writes (book/_ext/playground.py).
(function arithmetic(scope) {
  "use strict";

  // ------------------------------------------------------------------------------------------------ decoding

  const SPACES = ["reduced", "counted", "skip-gram"];
  const TYPES = { int8: Int8Array, uint8: Uint8Array, uint16: Uint16Array, float32: Float32Array };

  /** Adler-32 of a text of ASCII, by which a part of the data is known. */
  function sum(text) {
    let [a, b] = [1, 0];
    for (let i = 0; i < text.length; i++) b = (b + (a = (a + text.charCodeAt(i)) % 65521)) % 65521;
    return ((b << 16) | a) >>> 0;
  }

  const labels = (text) => text.split(" "), places = (words) => new Map(words.map((label, i) => [label, i]));

  /**
   * The words, spaces and matrices, from what part 0 of the data tells and the base-64 texts of the others. Of the first
   * of these texts alone come what lies in them whole: the reduced space and its modifiers.
   */
  function decode({ words: text, contexts, bytes: size, arrays, matrices }, texts) {
    const bytes = new Uint8Array(size), words = labels(text);
    let at = 0;
    for (const part of texts) {
      const letters = atob(part);
      for (let i = 0; i < letters.length; i++) bytes[at++] = letters.charCodeAt(i);
    }
    const whole = (name) => at >= arrays[name].at + arrays[name].bytes;
    const array = (name) => {
      const { type, shape, at: start } = arrays[name];
      return new TYPES[type](bytes.buffer, start, shape.reduce((n, m) => n * m, 1));
    };
    const book = { words, place: places(words), contexts: labels(contexts), spaces: {}, senses: new Map() };
    for (const label of words) {
      const lemma = lemmaOf(label);
      book.senses.set(lemma, [...(book.senses.get(lemma) ?? []), label]);
    }
    for (const id of SPACES.filter((id) => whole(`${id}.values`))) {
      const rounded = array(`${id}.values`), scale = array(`${id}.scale`), width = arrays[`${id}.values`].shape[1];
      const values = Float32Array.from(rounded, (value, i) => value * scale[Math.floor(i / width)]);
      const space = { id, d: width, width, values, matrices: {} };
      if (arrays[`${id}.columns`]) Object.assign(space, { columns: array(`${id}.columns`), d: book.contexts.length });
      space.norms = words.map((_, i) => norm(values.subarray(i * width, (i + 1) * width)));
      book.spaces[id] = space;
    }
    for (const [role, names] of Object.entries(matrices).filter(([role]) => whole(`${role}.scale`))) {
      const [left, right, scale] = ["left", "right", "scale"].map((part) => array(`${role}.${part}`));
      const rank = arrays[`${role}.scale`].shape[1];
      book.spaces.reduced.matrices[role] = { place: places(labels(names)), rank, left, right, scale };
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

  /** The matrix of a word times a vector: sum_k scale_k (right_k . x) left_k. */
  function applyMatrix(space, role, label, x) {
    const { place, rank, left, right, scale } = space.matrices[role], d = space.d, y = new Float64Array(d);
    for (let k = place.get(label) * rank, end = k + rank; k < end; k++) {
      let along = 0;
      for (let j = 0; j < d; j++) along += right[k * d + j] * x[j];
      along *= scale[k];
      for (let i = 0; i < d; i++) y[i] += left[k * d + i] * along;
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
      phenomenon phenomena, medium media, nucleus nuclei, matrix matrices, index indices, larva larvae, species specie,
      leaf leaves, axis axes, basis bases, analysis analyses`,
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
    const irregular = IRREGULAR[tag]?.get(form), known = tag === "NOUN" ? [irregular, form] : [form, irregular];
    const lemma = [...known, ...stems, ...single]
      .find((other) => book.senses.get(other)?.includes(`${other}|${tag}`));
    return lemma ? `${lemma}|${tag}` : null;
  }

  /** All the words that a form may stand for: those of which it is the lemma come first. */
  function sensesOf(book, form) {
    const exact = book.senses.get(form) ?? [];
    const others = Object.keys(SPEECH).map((tag) => sense(book, form, tag));
    return [...exact, ...others.filter((label) => label && !exact.includes(label))];
  }

  const PLURALS = new Map([...IRREGULAR.NOUN].reverse().map(([form, lemma]) => [lemma, form]));

  /** A lemma with the ending -s: a noun's plural, a verb's third person. */
  const addS = (lemma) => `${lemma.replace(/^have$/, "ha").replace(/([^aeiou])y$/, "$1ie").replace(/(s|x|z|ch|sh|[^o]o)$/, "$1e")}s`;
  const plural = (lemma) => PLURALS.get(lemma) ?? addS(lemma);

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
  function spelledLike(book, text, tags, k = 3, fits = () => true) {
    const form = typedWord(text).replace(/\s*\(\w*\)?$/, ""), most = form.length >= 8 ? 2 : 1;
    const far = (word) => (Math.abs(word.length - form.length) > most ? most + 1 : distance(form, word));
    const apart = (lemma) => Math.min(far(lemma), form.endsWith("s") ? far(plural(lemma)) : most + 1);
    const other = (label) => (tags.includes(tagOf(label)) ? 0 : 0.5);
    const near = book.words.map((label) => [apart(lemmaOf(label)), label])
      .filter(([letters, label]) => letters <= most && fits(label));
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


  // -------------------------------------------------------------------------------------------------- states

  const AMONG = { "": "all words", NOUN: "nouns", VERB: "verbs", ADJ: "adjectives" };
  const known = (table, key, otherwise) => (Object.hasOwn(table, key ?? "") ? key ?? "" : otherwise);

  /** Among which words a line's neighbours are sought unless the address says it. */
  const usually = (kind) => (KINDS[kind].clause || KINDS[kind].matrix?.[0] === "modifier" ? "NOUN" : "");

  /** The state that a line asks for, its phrase by matrices and by addition; without `reading` if it has none. */
  function lineState(book, line, wanted, among) {
    const said = understand(book, line), reading = said.readings.find(({ kind }) => kind === wanted) ?? said.readings[0];
    if (!reading) return { line, said, reading: null };
    const { kind, labels } = reading, { slots, matrix, clause } = KINDS[kind];
    const phrase = (how) => ({ kind, how, words: labels.map((label, i) => written(book, label, slots[i][1])) });
    return {
      line, said, reading, space: "reduced", among: Object.hasOwn(AMONG, among ?? "none") ? among : usually(kind),
      a: phrase(clause ? "plf" : matrix ? "matrix" : "add"), b: phrase("add"),
    };
  }

  /** The state that an address asks for: a line, or two phrases set by hand; `before` stands where a line has no reading. */
  function readState(book, hash, before) {
    const asked = new URLSearchParams(hash.slice(1)), line = asked.get("line")?.trim().slice(0, 4 * LONGEST);
    if (line) return { ...before, ...lineState(book, line, asked.get("kind"), asked.get("among")) };
    const phrase = (text) => {
      const [kind, how, ...words] = (text ?? "").split(",");
      const found = known(KINDS, kind, "word");
      return { kind: found, how: known(HOWS, how, "add"), words: KINDS[found].slots.map((_, i) => (words[i] ?? "").slice(0, LONGEST)) };
    };
    return {
      line: "", reading: null, space: known(book.spaces, asked.get("space"), "reduced"),
      among: known(AMONG, asked.get("among"), ""), a: phrase(asked.get("a")), b: phrase(asked.get("b")),
    };
  }

  /** A text in an address; half a character, as a limit of length may leave, is none. */
  const encoded = (text) => encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\ufffd"));

  function writeState(state) {
    if (state.line) {
      const { line, reading, said, among } = state;
      const kind = !reading || reading === said.readings[0] ? "" : `&kind=${reading.kind}`;
      const only = !reading || among === usually(reading.kind) ? "" : `&among=${among}`;
      return `#line=${encoded(line).replaceAll("%20", "+")}${kind}${only}`;
    }
    const phrase = ({ kind, how, words }) => [kind, how, ...words.map(encoded)].join(",");
    const only = state.among && `&among=${state.among}`;
    return `#space=${state.space}${only}&a=${phrase(state.a)}&b=${phrase(state.b)}`;
  }

  // ---------------------------------------------------------------------------------- all that the page shows

  const listed = (words) => words.join(", ").replace(/, ([^,]*)$/, " and $1");
  const shown = (value) => value.toFixed(3).replace("-", "\u2212");
  const quoted = (text) => `\u201c${text}\u201d`;

  /** A phrase as one reads it, with its operation. */
  function title({ kind, how, labels }, line) {
    const words = labels.map(lemmaOf), { clause } = KINDS[kind];
    if (clause) {
      words[clause.head[1]] = addS(words[clause.head[1]]);
      if (clause.head[1] === 2 && tagOf(labels[1]) === "NOUN") words.splice(1, 2, plural(words[1]), lemmaOf(labels[2]));
      words.splice(1, 0, "that");
    }
    return (line || words.join(" ")) + (labels.length > 1 ? ` (${HOWS[how]})` : "");
  }

  const unknown = (book, text) => `${quoted(text)} is not among the ${book.words.length.toLocaleString("en")} words.`;

  /** The matrices of the role in which a word stands in a phrase; none for a word that is an argument. */
  const stackOf = (space, { kind, how }, i) => {
    const role = plan(kind, how).find((term) => term.functor === i)?.role;
    return role && { role, ...space.matrices[role] };
  };

  /** What is to be said of a word in its place: {label, or null; wrong: whether it cannot be used; text; near}. */
  function judge(book, space, phrase, i) {
    const tags = KINDS[phrase.kind].slots[i][1], text = phrase.words[i].trim();
    const stack = stackOf(space, phrase, i), fits = (other) => !stack || stack.place.has(other);
    const { label, others: all } = resolve(book, text, tags), others = all.filter(fits);
    if (!text) return { label: null, wrong: false, text: "Type a word.", near: [] };
    if (!label) {
      const near = others.length ? others : spelledLike(book, text, tags, 3, fits);
      return { label, wrong: true, text: unknown(book, text) + (near.length ? " Near it: " : ""), near };
    }
    if (!fits(label)) {
      const having = (other) => stack.place.has(other) && tagOf(other) === tagOf(label);
      const near = neighbours(book, space, vector(book, space, label), 3, having).map(([other]) => other);
      const lacks = `${spell(label)} has no ${stack.role} matrix here.`;
      return { label, wrong: true, text: lacks + (near.length ? " Words near it that have one: " : ""), near };
    }
    const speech = SPEECH[tagOf(label)], what = tags.includes(tagOf(label)) ? speech : `Known here only as ${speech}`;
    return { label, wrong: false, text: what + (others.length ? " \u00b7 also: " : ""), near: others };
  }

  /** The words to choose from in a field: [[word, its part of speech], ...]. */
  function suggest(book, state, which, i, typed) {
    const phrase = state[which], tags = KINDS[phrase.kind].slots[i][1], stack = stackOf(book.spaces[state.space], phrase, i);
    return suggestions(book, typed.replace(/ \(\w*\)?$/, ""), tags, (label) => !stack || stack.place.has(label))
      .map((label) => [written(book, label, tags), SPEECH[tagOf(label)]]);
  }

  /** Lines with another word in the place of one form, those that can be composed as they are. */
  function relined(book, { line }, form, labels) {
    const parts = line.split(/([\s,;"\u201c\u201d.?!]+)/), at = parts.findIndex((part) => part.toLowerCase() === form);
    const inflected = (lemma) => (/[^s]s$/.test(form) && !lemma.endsWith("s") ? plural(lemma) : lemma);
    const lines = labels.map((label) => parts.map((part, i) => (i === at ? inflected(lemmaOf(label)) : part)).join(""));
    return [...new Set(lines)].filter((text) => {
      const { reading, a } = lineState(book, text);
      return reading && !a.words.some((_, i) => judge(book, book.spaces.reduced, a, i).wrong);
    });
  }

  const SINGLE = "A name of several words has no vector of its own here: each word counts by itself.";

  /** What is said of a line: {text, then: [[what a button says, the line it composes, its kind], ...], after}. */
  function heard(book, state) {
    const { line, said, reading: best } = state, name = ({ kind }) => KINDS[kind].title.split(" (")[0];
    if (!line) return { text: "Set by hand, below.", then: [] };
    if (best) {
      const others = said.readings.filter((other) => other !== best);
      const named = best.labels.length > 1 && best.labels.some((label) => tagOf(label) === "PROPN");
      return {
        text: `Understood as: ${name(best)}, ${best.labels.map(spell).join(", ")}.${named ? ` ${SINGLE}` : ""}${others.length ? " Or as: " : ""}`,
        then: others.map((other) => [name(other), line, other.kind]),
      };
    }
    const [form] = said.unknown, near = form ? relined(book, state, form, spelledLike(book, form, ["NOUN"], 9)).slice(0, 3) : [];
    return {
      text: form ? unknown(book, form) + (near.length ? " Did you mean: " : "")
        : `${quoted(line)} is none of the phrases that are understood here. They are like the examples, or a single word. ${SINGLE}`,
      then: near.map((text) => [text, text, ""]),
    };
  }

  /** What differs, in one sentence; it ends with the cosine. */
  function difference(a, b) {
    const of = [a, b].map(({ nearest }) => nearest.map(([label]) => label));
    const own = [0, 1].map((i) => of[i].filter((label) => !of[1 - i].includes(label)).slice(0, 3).map(lemmaOf));
    const shared = of[0].filter((label) => of[1].includes(label)).length, by = shown(cosine(a.vector, b.vector));
    if (!own[0].length || !own[1].length) return `Cosine of ${quoted(a.name)} and ${quoted(b.name)}: ${by}.`;
    return `Only ${quoted(a.name)} has ${listed(own[0])} among its ten nearest words, only ${quoted(b.name)} `
      + `${listed(own[1])}; they share ${shared}; cosine ${by}.`;
  }

  /** The phrases, their words, and five neighbours of each, in two dimensions: {points, share}; null if too few. */
  function pictured(book, space, phrases) {
    const there = phrases.filter(({ vector: made }) => norm(made) > 0), of = new Map();
    const same = there.every(({ labels }) => labels.length > 1 && labels.join() === there[0].labels.join());
    for (const label of there.flatMap(({ labels }) => (labels.length > 1 ? labels : []))) of.set(label, "word");
    for (const phrase of there) {
      for (const [label] of phrase.nearest.slice(0, 5).filter(([label]) => of.get(label) !== "word")) {
        of.set(label, of.has(label) ? "both" : phrase.letter);
      }
    }
    const roles = { word: "word of a phrase", both: "near both", A: "near A", B: "near B" };
    const points = [
      ...there.map(({ letter, name, how, vector: made }) =>
        ({ text: `${letter}: ${same ? HOWS[how] : name}`, role: "phrase", mark: letter, made, main: true })),
      ...[...of].map(([label, mark]) => ({ text: lemmaOf(label), role: roles[mark], mark, made: vector(book, space, label) })),
    ];
    if (points.length < 3) return null;
    const { points: places, share } = principal(points.map(({ made }) => made));
    return {
      share,
      points: points.map(({ made, ...point }, i) =>
        ({ ...point, at: places[i], cosines: phrases.map((phrase) => cosine(made, phrase.vector)) })),
    };
  }

  /** Why two phrases are as similar as they are. */
  function comparison(book, space, a, b) {
    const similarity = cosine(a.vector, b.vector), shared = space.columns ? sharedContexts(book, a, b) : [];
    return {
      similarity, parts: contributions(a, b), named: Boolean(space.columns),
      terms: [a, b].map(({ terms }) => terms.map(({ name }) => name)),
      contexts: shared.map(([context, part]) => [spell(context), part]),
    };
  }

  /** All that the page shows of a state, or of an address: numbers and words, no vectors. */
  function answer(book, { hash, state: before }) {
    const state = hash === undefined ? before : readState(book, hash, before ?? lineState(book, "hot dog"));
    const space = book.spaces[state.space], fields = {}, ways = {}, both = [];
    let told = "";
    for (const which of ["a", "b"]) {
      const phrase = state[which], letter = which.toUpperCase(), { slots } = KINDS[phrase.kind];
      ways[which] = Object.entries(operations(space, phrase.kind));
      if (!Object.fromEntries(ways[which])[phrase.how]) {
        if (slots.length > 1) told += `Phrase ${letter} is now composed by addition: this space has no such matrices. `;
        phrase.how = "add";
      }
      const { kind, how, words } = phrase, judged = words.map((_, i) => judge(book, space, phrase, i));
      fields[which] = judged.map(({ wrong, text, near }, i) =>
        ({ wrong, text, offers: near.map((other) => [written(book, other, slots[i][1]), spell(other)]) }));
      const labels = judged.map(({ label }) => label), at = judged.findIndex(({ label, wrong }) => wrong || !label);
      const made = { kind, how, labels, letter, name: labels.includes(null) ? words.join(" ") : title({ kind, how, labels }, state.line) };
      both.push(at < 0 ? { ...made, ...compose(book, space, made) } : { ...made, at, said: judged[at] });
    }
    const report = { state, ways, fields, address: writeState(state), heard: heard(book, state), status: "", sides: [] };
    if (state.line && !state.reading) return report;
    const allowed = (own) => (label) => !own.includes(label) && (!state.among || tagOf(label) === state.among);
    const near = ({ labels }, query, k) => (norm(query) > 0 ? neighbours(book, space, query, k, allowed(labels)) : []);
    const text = ({ kind, how, labels }) => [kind, how, ...labels].join(), sole = text(both[0]) === text(both[1]);
    const sides = sole ? both.slice(0, 1) : both, phrases = sides.filter((phrase) => phrase.vector), [a, b] = phrases;
    for (const phrase of phrases) phrase.nearest = near(phrase, phrase.vector, 10);
    report.status = told + (b ? difference(a, b)
      : a && (sole || state.line) ? `Nearest to ${quoted(a.name)}: ${listed(a.nearest.slice(0, 3).map(([label]) => lemmaOf(label)))}.`
        : "A word is missing, unknown or without a matrix: see the note below its field.");
    report.sides = sides.map((phrase) => {
      const { kind, how, labels, letter, name } = phrase;
      if (!phrase.vector) {
        const lines = state.line ? relined(book, state, state.said.forms[phrase.at], phrase.said.near) : [];
        return { letter, name, text: state.line ? phrase.said.text : "See the note below its field.", lines };
      }
      const other = phrases.find((one) => one !== phrase);
      const effects = labels.length < 2 ? [] : labels.map((label, i) => {
        const rest = compose(book, space, phrase, without(plan(kind, how), i)).vector;
        const words = near(phrase, rest, 4).map(([word]) => lemmaOf(word)).join(", ") || "none";
        return [lemmaOf(label), words, cosine(rest, phrase.vector), ...(other ? [cosine(rest, other.vector)] : [])];
      });
      return {
        letter, name, effects, near: phrase.nearest.map(([label, value]) => [spell(label), value]),
        formula: labels.length > 1 ? phrase.terms.map((term) => term.name).join(" + ") : "",
        nothing: norm(phrase.vector) === 0, axes: how === "mult" && !space.columns,
      };
    });
    report.picture = a && pictured(book, space, phrases);
    report.comparison = b && comparison(book, space, a, b);
    return report;
  }

  // --------------------------------------------------------------------------------------------------- the worker

  /** What the page asks of the worker; `source` is the worker's whole text, for a page from disk may load none. */
  const tasks = {
    start: ({ head, texts }) => { scope.book = decode(head, texts); },
    answer: (asked) => answer(scope.book, asked),
    suggest: ({ state, which, i, typed }) => suggest(scope.book, state, which, i, typed),
  };
  if (typeof document === "undefined") {
    scope.onmessage = ({ data: { id, task, asked } }) => {
      try {
        scope.postMessage({ id, told: tasks[task](asked) });
      } catch (problem) {
        scope.postMessage({ id, problem: String(problem) });
      }
    };
  }

  scope.cdsmPlayground = {
    decode, sum, vector, norm, add, multiply, applyMatrix, cosine, neighbours, principal,
    KINDS, HOWS, SPEECH, AMONG, LONGEST, operations, plan, without, compose, contributions, sharedContexts,
    lemmaOf, tagOf, spell, resolve, written, spelledLike, suggestions, understand, addS, plural, answer, suggest, listed, shown,
    source: `(${arithmetic})(self)`,
  };
})(globalThis);
