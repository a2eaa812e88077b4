"""How questions are made: trees, propositions, questions, objections, the funnel, ids, the hand check."""

from dataclasses import replace

import pytest

from cdsm_lib.construction import question_answering as qa
from cdsm_lib.construction.genia import documents, to_universal
from cdsm_lib.tables import TaskError
from cdsm_lib.text.corpus import Sentence, sentence


def tree(text: str) -> Sentence:
    """A tree of Penn tags, with universal tags as the library gives them."""
    return to_universal(Sentence(tuple(replace(token, xpos=token.upos) for token in sentence(text))))


ACTIVE = tree(
    "The|DT/2/det pump|NN/3/nsubj drives:drive|VBZ/0/root two|CD/7/nummod steam|NN/7/compound -|:/7/punct "
    "turbines:turbine|NNS/3/dobj of|IN/10/case the|DT/10/det plant|NN/7/nmod in|IN/12/case winter|NN/3/nmod "
    ".|./3/punct"
)
PASSIVE = tree(
    "Valves:valve|NNS/3/nsubjpass were:be|VBD/3/auxpass controlled:control|VBN/0/root by|IN/6/case a|DT/6/det "
    "relay|NN/3/nmod .|./3/punct"
)
RELATIVE = tree(
    "A|DT/2/det fan|NN/8/nsubj ,|,/2/punct which|WDT/5/nsubj cools:cool|VBZ/2/acl:relcl engines:engine|NNS/5/dobj "
    ",|,/2/punct hums:hum|VBZ/0/root .|./8/punct"
)
PASSIVE_RELATIVE = tree(
    "Sails:sail|NNS/7/nsubj that|WDT/4/nsubjpass are:be|VBP/4/auxpass filled:fill|VBN/1/acl:relcl by|IN/6/case "
    "wind|NN/4/nmod swell|VBP/0/root"
)
PARTICIPLES = tree(
    "Wheels:wheel|NNS/7/nsubj turned:turn|VBN/1/acl by|IN/4/case water|NN/2/nmod and|CC/1/cc "
    "stones:stone|NNS/1/conj stop|VBP/0/root belts:belt|NNS/7/dobj carrying:carry|VBG/8/acl grain|NN/9/dobj"
)
CONJOINED = tree(
    "Brakes:brake|NNS/2/nsubj slow|VBP/0/root trains:train|NNS/2/dobj and|CC/2/cc heat|VBP/2/conj "
    "wheels:wheel|NNS/5/dobj"
)
CONJOINED_PASSIVE = tree(
    "Doors:door|NNS/3/nsubjpass are:be|VBP/3/auxpass opened:open|VBN/0/root by|IN/5/case guards:guard|NNS/3/nmod "
    "and|CC/3/cc closed:close|VBN/3/conj by|IN/9/case springs:spring|NNS/7/nmod"
)
MIXED_VOICE = tree(
    "Doors:door|NNS/3/nsubjpass are:be|VBP/3/auxpass opened:open|VBN/0/root and|CC/3/cc show|VBP/3/conj rust|NN/5/dobj"
)
NOMINAL = tree(  # "Activation of the pump by steam needs valve control by heat-regulated switches"
    "Activation|NN/7/nsubj of|IN/4/case the|DT/4/det pump|NN/1/nmod by|IN/6/case steam|NN/1/nmod "
    "needs:need|VBZ/0/root valve|NN/9/compound control|NN/7/dobj by|IN/12/case heat-regulated|JJ/12/amod "
    "switches:switch|NNS/9/nmod"
)
IDLE = [tree("Rain|NN/2/nsubj fell:fall|VBD/0/root"), tree("Night|NN/2/nsubj came:come|VBD/0/root")]


def words(sentence: Sentence, argument: qa.Argument) -> str:
    return " ".join(sentence.tokens[id - 1].form for id in argument.tokens)


def document(*sentences: Sentence, id: str = "d") -> qa.Document:
    return qa.Document(id, (*sentences, *IDLE))


def clause(verb: str, *, subject="pump|NN", object="turbine|NN", extra="") -> Sentence:
    """'subject verb object', with further tokens after."""
    return tree(f"{subject}/2/nsubj {qa.inflect(verb, 'VBZ')}:{verb}|VBZ/0/root {object}/2/dobj {extra}")


def reason(*sentences: Sentence, missing: str = "subject") -> str | None:
    where = document(*sentences)
    return qa.rejection(qa.Candidate(where, qa.propositions(where)[0], missing))


TAGS = tree(
    "It|PRP/3/nsubj may|MD/3/aux have|VB/0/root is:be|VBZ/3/auxpass to|TO/3/mark if|IN/3/mark not|RB/3/neg "
    "Bonn|NNP/3/dobj &lt;|JJR/2/amod -LSB-x-RSB-|NN/0/root"
)


def test_universal_tags_and_characters():
    assert " ".join(token.upos for token in ACTIVE) == "DET NOUN VERB NUM NOUN PUNCT NOUN ADP DET NOUN ADP NOUN PUNCT"
    assert " ".join(token.upos for token in TAGS) == "PRON AUX VERB AUX PART SCONJ ADV PROPN ADJ NOUN"
    assert [(token.form, token.lemma) for token in TAGS.tokens[-2:]] == [("<", "<"), ("[x]", "[x]")]
    assert (ACTIVE.tokens[2].lemma, ACTIVE.tokens[2].xpos) == ("drive", "VBZ")


FLEET = tree("ships:ship|NNS/0/root and|CC/1/cc boats:boat|NNS/1/conj in|IN/5/case port|NN/1/nmod")
ENGINE = tree(
    "steam|NN/5/compound (|-LRB-/3/punct H2O|NN/1/appos )|-RRB-/3/punct engine|NN/0/root (|-LRB-/7/punct "
    "SE|NN/5/appos )|-RRB-/7/punct"
)


@pytest.mark.parametrize(
    ("sentence", "head", "phrase", "cut"),
    [
        (ACTIVE, 7, "two steam - turbines of the plant", False),
        (FLEET, 1, "ships", True),  # what is left out tells which ships
        (FLEET, 3, "boats", False),
        (ENGINE, 5, "steam engine", False),
        (RELATIVE, 2, "A fan", False),  # a clause between commas does not restrict
        (PASSIVE_RELATIVE, 1, "Sails", True),
    ],
)
def test_noun_phrases(sentence, head, phrase, cut):
    argument = qa.noun_phrase(sentence, head)
    assert (words(sentence, argument), argument.cut) == (phrase, cut)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (ACTIVE, ["drive: The pump, two steam - turbines of the plant (active clause)"]),
        (PASSIVE, ["control: a relay, Valves (passive clause, past)"]),
        (RELATIVE, ["cool: A fan, engines (active relative)"]),
        (PASSIVE_RELATIVE, ["fill: wind, Sails (passive relative)"]),
        (PARTICIPLES, ["turn: water, Wheels (passive participle)", "stop: Wheels, belts (active clause)",
                       "carry: belts, grain (active participle)"]),
        (CONJOINED, ["slow: Brakes, trains (active clause)", "heat: Brakes, wheels (active conjunct)"]),
        (CONJOINED_PASSIVE, ["open: guards, Doors (passive clause)", "close: springs, Doors (passive conjunct)"]),
        (MIXED_VOICE, []),
        (IDLE[0], []),
        (tree("Ice|NN/3/nsubj has:have|VBZ/3/aux blocked:block|VBN/0/root ports:port|NNS/3/dobj"),
         ["block: Ice, ports (active clause)"]),
        (NOMINAL, ["activate: steam, the pump (active noun)",
                   "need: Activation of the pump, valve control (active clause)",
                   "control: heat-regulated switches, valve (active noun)",
                   "regulate: heat-regulated, switches (active adjective)"]),
        (tree("tools:tool|NNS/0/root for|IN/3/mark cutting:cut|VBG/1/acl wood|NN/3/dobj"), []),
    ],
)  # fmt: skip
def test_propositions(sentence, expected):
    assert [
        f"{p.lemma}: {words(sentence, p.subject)}, {words(sentence, p.object)} ({p.voice} {p.kind}{', past' * p.past})"
        for p in qa.propositions(qa.Document("d", (sentence,)))
    ] == expected


@pytest.mark.parametrize("forms", [
    "delay delays delayed delayed", "show shows showed shown", "transmit transmits transmitted transmitted",
    "inhibit inhibits inhibited inhibited", "drive drives drove driven", "bear bears bore borne",
    "mimic mimics mimicked mimicked",
])  # fmt: skip
def test_inflection(forms):
    assert [qa.inflect(forms.split()[0], tag) for tag in ("VBP", "VBZ", "VBD", "VBN")] == forms.split()


# ---------------------------------------------------------------------------------------------------------- questions


@pytest.mark.parametrize(
    ("sentence", "missing", "form", "verb", "expected"),
    [
        (ACTIVE, "subject", "same", None, "What drives two steam - turbines of the plant?"),
        (ACTIVE, "object", "same", None, "What does the pump drive?"),
        (ACTIVE, "subject", "voice", None, "What are two steam - turbines of the plant driven by?"),
        (ACTIVE, "object", "voice", None, "What is driven by the pump?"),
        (ACTIVE, "subject", "verb", "move", "What moves two steam - turbines of the plant?"),
        (ACTIVE, "object", "voice+verb", "move", "What is moved by the pump?"),
        (PASSIVE, "subject", "same", None, "What were valves controlled by?"),
        (PASSIVE, "object", "same", None, "What was controlled by a relay?"),
        (PASSIVE, "subject", "voice", None, "What controlled valves?"),
        (PASSIVE, "object", "voice", None, "What did a relay control?"),
        (CONJOINED, "object", "same", None, "What do Brakes slow?"),
        (NOMINAL, "subject", "nominalisation", None, "What activates the pump?"),
        (NOMINAL, "object", "nominalisation", None, "What does steam activate?"),
    ],
)
def test_questions(sentence, missing, form, verb, expected):
    first = qa.propositions(document(sentence))[0]
    question = qa.question_tree(sentence, first, missing, form, verb, lower={"the", "valves"})
    assert qa.text(question) == question.comments["text"] == expected


def test_an_adjective_gives_up_its_noun():
    where = document(NOMINAL)
    last = qa.propositions(where)[-1]
    asked = [qa.question_tree(last.of(where), last, missing, "nominalisation") for missing in qa.ARGUMENTS]
    assert list(map(qa.text, asked)) == ["What regulates switches?", "What does heat regulate?"]
    assert [t.lemma for t in asked[1] if t.upos == "NOUN"] == ["heat"]
    assert qa.propositions(where)[0].of(where) is NOMINAL


@pytest.mark.parametrize(
    ("sentence", "missing", "expected"),
    [
        (ACTIVE, "object", "What what PRON WP 5 dobj, does do AUX VBZ 5 aux, the the DET DT 4 det, "
         "pump pump NOUN NN 5 nsubj, drive drive VERB VB 0 root, ? ? PUNCT . 5 punct"),
        (PASSIVE, "subject", "What what PRON WP 4 nmod, were be AUX VBD 4 auxpass, Valves valve NOUN NNS 4 nsubjpass, "
         "controlled control VERB VBN 0 root, by by ADP IN 1 case, ? ? PUNCT . 4 punct"),
        (PASSIVE, "object", "What what PRON WP 3 nsubjpass, was be AUX VBD 3 auxpass, "
         "controlled control VERB VBN 0 root, by by ADP IN 6 case, a a DET DT 6 det, relay relay NOUN NN 3 nmod, "
         "? ? PUNCT . 3 punct"),
    ],
)  # fmt: skip
def test_trees_of_questions(sentence, missing, expected):
    (proposition,) = qa.propositions(document(sentence))
    question = qa.question_tree(sentence, proposition, missing, "same", lower={"the"})
    fields = [(t.form, t.lemma, t.upos, t.xpos, str(t.head), t.deprel) for t in question]
    assert ", ".join(map(" ".join, fields)) == expected
    assert [t.id for t in question] == list(range(1, len(fields) + 1))


def test_lower_case_by_use():
    ohm = tree("Ohm|NN/2/nsubj met:meet|VBD/0/root Ohm|NN/2/dobj and|CC/3/cc steam|NN/3/conj")
    assert {"steam", "and", "met"} == qa.lower_case([qa.Document("d", (ohm,))])


# ---------------------------------------------------------------------------------------------------------- rejection

SEVERAL_NOUNS = tree(
    "fans:fan|NNS/7/nsubj and|CC/1/cc pumps:pump|NNS/1/conj that|WDT/5/nsubj cool|VBP/1/acl:relcl "
    "engines:engine|NNS/5/dobj hum|VBP/0/root"
)
LATE_AGENT = tree(
    "doors:door|NNS/3/nsubjpass are:be|VBP/3/auxpass opened:open|VBN/0/root and|CC/3/cc closed:close|VBN/3/conj "
    "by|IN/7/case guards:guard|NNS/3/nmod"
)
DOUBTFUL, NO_NOUN = "verb with a clause, a particle or a doubtful tree", "argument is a pronoun or has no noun"


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (clause("drive"), None),
        (clause("drive", extra="not|RB/2/neg"), "negated"),
        (clause("drive", extra="no|DT/3/det"), "negated"),
        (clause("drive", extra="neither|DT/3/det"), "negated"),
        (clause("drive", extra="hardly|RB/2/advmod"), "negated"),
        (clause("drive", extra="may|MD/2/aux"), "modal, conditional or infinitive"),
        (clause("drive", extra="whether|IN/2/mark"), "modal, conditional or infinitive"),
        (clause("have"), "verb too general"),
        (clause("drive", subject="results:result|NNS"), "study as its own subject"),
        (clause("drive", extra="run|VB/2/xcomp"), DOUBTFUL),
        (clause("drive", extra="up|RP/2/compound:prt"), DOUBTFUL),
        (clause("prevent", extra="from|IN/5/case damage|NN/2/nmod"), DOUBTFUL),
        (clause("drive", subject="It|PRP"), NO_NOUN),
        (clause("drive", object="5|NN"), NO_NOUN),
        (clause("drive", object="others:other|NNS"), "argument refers back or is open"),
        (clause("drive", extra="and|CC/3/cc mill|NN/3/conj"), "known argument would be cut short"),
        (clause("drive", object="mechanism|NN"), "argument too vague"),
        (tree("which|WDT/2/nsubj drives:drive|VBZ/0/root mills:mill|NNS/2/dobj"), NO_NOUN),
        (SEVERAL_NOUNS, DOUBTFUL),
        (LATE_AGENT, DOUBTFUL),
    ],
)
def test_rejections(sentence, expected):
    assert reason(sentence) == expected and expected in (None, *qa.OBJECTIONS)


def test_rejections_by_length_and_document():
    assert reason(ACTIVE, missing="object") is reason(RELATIVE, missing="object") is None
    assert reason(ACTIVE) == "known argument too long"
    short = qa.Document("d", (clause("drive"), IDLE[0]))
    candidate = qa.Candidate(short, qa.propositions(short)[0], "subject")
    assert qa.rejection(candidate) == "document of fewer than three sentences"


# ------------------------------------------------------------------------------------------------- funnel, and by ids


def test_the_funnel_counts_every_candidate_once():
    """Four clauses: one is negated, one has a pronoun, and the last repeats the first."""
    pronoun = clause("drive", subject="It|PRP")
    negated = clause("move", extra="not|RB/2/neg")
    outcomes = qa.funnel([document(clause("drive"), negated, pronoun, clause("drive"))])
    assert list(outcomes) == [*qa.OBJECTIONS, qa.REPEATED, qa.ASKABLE]
    assert {name: n for name, n in outcomes.items() if n} == {
        "negated": 2, NO_NOUN: 2, qa.REPEATED: 2, qa.ASKABLE: 2,
    }  # fmt: skip


def test_questions_by_their_ids():
    parsed = [document(PASSIVE, id="b"), document(IDLE[0], ACTIVE, id="a"), document(id="c")]
    ids = {"a:1:3:object:voice+verb": "move", "b:0:3:subject:voice": None}
    first, second = qa.rebuilt(parsed, ids).questions
    assert (first.id, first.document, first.answer) == ("a:1:3:object:voice+verb", "a", 1)
    assert (str(first), first.alternation) == ("What is moved by the pump?", "voice and verb")
    assert str(second) == "What controlled Valves?"
    assert second.sentence.comments["sent_id"] == "b:0:3:subject:voice"
    assert [document.id for document in qa.rebuilt(parsed, ids).documents] == ["b", "a"]
    with pytest.raises(TaskError, match="no proposition of the documents has the id 'a:0:3:object:same'"):
        qa.rebuilt(parsed, {"a:0:3:object:same": None})


def test_documents(tmp_path):
    trees, ids = tmp_path / "t.conllu", tmp_path / "t.pmids"
    trees.write_text(sentence("a|NOUN|NN").conllu() * 3, encoding="utf-8")

    def of_ids(*pmids: str):
        ids.write_text("\n".join(pmids) + "\n", encoding="utf-8")
        return documents([(trees, ids)])

    abstracts = of_ids("7", "7", "8")
    assert [(abstract.id, len(abstract)) for abstract in abstracts] == [("7", 2), ("8", 1)]
    assert abstracts[0].sentences[1].comments == {"doc_id": "7", "sent_id": "7.1"}
    with pytest.raises(TaskError, match="t.pmids, line 3: abstract 7 begins a second time"):
        of_ids("7", "8", "7")
    with pytest.raises(TaskError, match="2 ids for the 3 sentences of t.conllu"):
        of_ids("7", "8")


WRONG = "another sentence answers too"
HEADER = "question\tfirst\tsecond\tlater\tverb\n"


def decisions(*read: str) -> dict[str, qa.Decision]:
    """What the first and the other reader found, r for right and o for wrong."""
    names = {"r": qa.RIGHT, "o": WRONG}
    return dict(zip("abcdefgh", (qa.Decision(*map(names.get, letters)) for letters in read), strict=False))


def test_the_hand_check_is_read(tmp_path):
    path = tmp_path / "check.tsv"
    lines = f"a\tright\t{WRONG}\tnot read\t-\nb\tright\tright\tnot read\tmove\nc\tright\tnot read\t{WRONG}\t-\n"
    path.write_text(HEADER + lines, encoding="utf-8")
    check = qa.hand_check(path)
    assert check == decisions("ro", "rr", "ro") | {"b": qa.Decision(qa.RIGHT, qa.RIGHT, "move")}
    assert [decision.right for decision in check.values()] == [False, True, False]
    for last in ("right\tright", "not read\tnot read"):
        path.write_text(f"{HEADER}a\tright\t{last}\t-\n", encoding="utf-8")
        with pytest.raises(TaskError, match="line 2: one of the second and the later reader reads a question"):
            qa.hand_check(path)


def test_precision_and_agreement_by_hand():
    check = decisions("rr", "rr", "rr", "ro", "oo", "oo", "or", "oo")
    share, n = qa.precision(check)
    # Wilson's interval of 3 of 4 with z = 1.96: (p + z²/2n ± z sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n)
    assert (share.value, share.low, share.high, n) == pytest.approx((0.75, 0.30064, 0.95443, 4), abs=1e-4)
    assert qa.agreement(check) == pytest.approx((6 / 8 - 1 / 2) / (1 - 1 / 2))


def test_the_word_lists_hold_verbs():
    for verb, others in qa.listed("paraphrases").items():
        assert verb not in others and verb not in qa.listed("general_verbs")
    for verb in (*qa.listed("nouns").values(), *qa.listed("adjectives").values()):
        assert len(verb) == 1 and qa.inflect(verb[0], "VBZ")


def test_the_questions_of_the_book(mirror):
    check, abstracts = qa.hand_check(), qa.genia()
    outcomes = qa.funnel(abstracts)
    assert len(abstracts) == 448 and sum(outcomes.values()) == 7026 and outcomes[qa.ASKABLE] == 874
    read = qa.rebuilt(abstracts, {id: decision.verb for id, decision in check.items()})
    assert len(read.questions) == 600 and min(map(len, read.documents)) >= 3
    right = qa.load("genia")
    assert right.questions == tuple(question for question in read.questions if check[question.id].right)
    precise, n = qa.precision(check)
    assert len(right) == 214 and n == 263 and 0.7 < precise.low and 0.8 < qa.agreement(check) < 1
    tokens = (token for document in abstracts for sentence in document.sentences for token in sentence)
    verbs = [t for t in tokens if t.xpos in ("VBZ", "VBD", "VBN") and t.lemma not in ("be", "have", "do")]
    agreeing = sum(qa.inflect(token.lemma, token.xpos) == token.form.lower() for token in verbs)
    assert agreeing / len(verbs) > 0.995  # the treebank's own inflection
