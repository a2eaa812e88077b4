"""How questions are generated: trees, propositions, questions, rejections, the funnel, the hand check."""

import pytest

from cdsm_lib.construction import question_answering as qa
from cdsm_lib.tables import TaskError
from cdsm_lib.text.corpus import Sentence, Token, read_conllu


def tree(text: str) -> Sentence:
    """A tree from 'form lemma tag head label | ...', with universal tags as the library gives them."""
    tokens = []
    for number, token in enumerate(text.split(" | "), 1):
        form, lemma, tag, head, label = token.split()
        tokens.append(Token(number, form, lemma, tag, tag, "_", int(head), label, "_", "_"))
    return qa.to_universal(Sentence(tuple(tokens)))


ACTIVE = tree(
    "The the DT 2 det | pump pump NN 3 nsubj | drives drive VBZ 0 root | two two CD 7 nummod | "
    "steam steam NN 7 compound | - - : 7 punct | turbines turbine NNS 3 dobj | of of IN 10 case | the the DT 10 det | "
    "plant plant NN 7 nmod | in in IN 12 case | winter winter NN 3 nmod | . . . 3 punct"
)
PASSIVE = tree(
    "Valves valve NNS 3 nsubjpass | were be VBD 3 auxpass | controlled control VBN 0 root | by by IN 6 case | "
    "a a DT 6 det | relay relay NN 3 nmod | . . . 3 punct"
)
RELATIVE = tree(
    "A a DT 2 det | fan fan NN 8 nsubj | , , , 2 punct | which which WDT 5 nsubj | cools cool VBZ 2 acl:relcl | "
    "engines engine NNS 5 dobj | , , , 2 punct | hums hum VBZ 0 root | . . . 8 punct"
)
PASSIVE_RELATIVE = tree(
    "Sails sail NNS 7 nsubj | that that WDT 4 nsubjpass | are be VBP 4 auxpass | filled fill VBN 1 acl:relcl | "
    "by by IN 6 case | wind wind NN 4 nmod | swell swell VBP 0 root"
)
PARTICIPLES = tree(
    "Wheels wheel NNS 7 nsubj | turned turn VBN 1 acl | by by IN 4 case | water water NN 2 nmod | and and CC 1 cc | "
    "stones stone NNS 1 conj | stop stop VBP 0 root | belts belt NNS 7 dobj | carrying carry VBG 8 acl | "
    "grain grain NN 9 dobj"
)
CONJOINED = tree(
    "Brakes brake NNS 2 nsubj | slow slow VBP 0 root | trains train NNS 2 dobj | and and CC 2 cc | "
    "heat heat VBP 2 conj | wheels wheel NNS 5 dobj"
)
CONJOINED_PASSIVE = tree(
    "Doors door NNS 3 nsubjpass | are be VBP 3 auxpass | opened open VBN 0 root | by by IN 5 case | "
    "guards guard NNS 3 nmod | and and CC 3 cc | closed close VBN 3 conj | by by IN 9 case | "
    "springs spring NNS 7 nmod"
)
MIXED_VOICE = tree(
    "Doors door NNS 3 nsubjpass | are be VBP 3 auxpass | opened open VBN 0 root | and and CC 3 cc | "
    "show show VBP 3 conj | rust rust NN 5 dobj"
)
IDLE = [
    tree("Rain rain NN 2 nsubj | fell fall VBD 0 root"),
    tree("Night night NN 2 nsubj | came come VBD 0 root"),
]


def words(sentence: Sentence, argument: qa.Argument) -> str:
    return " ".join(sentence.tokens[id - 1].form for id in argument.tokens)


def document(*sentences: Sentence, id: str = "d") -> qa.Document:
    return qa.Document(id, (*sentences, *IDLE))


def only(*sentences: Sentence) -> qa.Proposition:
    (found,) = qa.propositions(document(*sentences))
    return found


def clause(verb: str, *, subject=("pump", "pump", "NN"), object=("turbine", "turbine", "NN"), extra=()) -> Sentence:
    """'subject verb object', with extra lines after."""
    lines = [
        f"{subject[0]} {subject[1]} {subject[2]} 2 nsubj",
        f"{qa.inflect(verb, 'VBZ')} {verb} VBZ 0 root",
        f"{object[0]} {object[1]} {object[2]} 2 dobj",
    ]
    return tree(" | ".join([*lines, *extra]))


def reason(*sentences: Sentence, missing: str = "subject", **options) -> str | None:
    where = document(*sentences)
    return qa.rejection(where, qa.propositions(where)[0], missing, **options)


class TestUniversal:
    def test_tags_and_lemmas(self):
        assert [token.upos for token in ACTIVE] == (
            "DET NOUN VERB NUM NOUN PUNCT NOUN ADP DET NOUN ADP NOUN PUNCT".split()
        )
        assert [token.lemma for token in ACTIVE][2] == "drive"
        assert [token.xpos for token in ACTIVE][2] == "VBZ"

    def test_auxiliaries_and_particles(self):
        found = tree(
            "It it PRP 3 nsubj | may may MD 3 aux | have have VB 0 root | is be VBZ 3 auxpass | to to TO 3 mark | "
            "if if IN 3 mark | not not RB 3 neg | Bonn Bonn NNP 3 dobj"
        )  # fmt: skip
        assert [token.upos for token in found] == "PRON AUX VERB AUX PART SCONJ ADV PROPN".split()

    def test_characters(self):
        found = tree("&lt; &lt; JJR 2 amod | -LSB-x-RSB- -lsb-x-rsb- NN 0 root")
        assert [(token.form, token.lemma) for token in found] == [("<", "<"), ("[x]", "[x]")]


class TestNounPhrase:
    def test_keeps_premodifiers_and_of(self):
        found = qa.noun_phrase(ACTIVE, 7)
        assert words(ACTIVE, found) == "two steam - turbines of the plant"
        assert not found.cut

    def test_leaves_out_what_tells_which(self):
        sentence = tree(
            "ships ship NNS 0 root | and and CC 1 cc | boats boat NNS 1 conj | in in IN 5 case | port port NN 1 nmod"
        )  # fmt: skip
        found = qa.noun_phrase(sentence, 1)
        assert words(sentence, found) == "ships" and found.cut
        assert not qa.noun_phrase(sentence, 3).cut

    def test_leaves_out_brackets_quietly(self):
        sentence = tree(
            "steam steam NN 5 compound | ( ( -LRB- 3 punct | H2O h2o NN 1 appos | ) ) -RRB- 3 punct | "
            "engine engine NN 0 root | ( ( -LRB- 7 punct | SE se NN 5 appos | ) ) -RRB- 7 punct"
        )  # fmt: skip
        found = qa.noun_phrase(sentence, 5)
        assert words(sentence, found) == "steam engine" and not found.cut

    def test_commas_tell_what_restricts(self):
        assert not qa.noun_phrase(RELATIVE, 2).cut
        assert qa.noun_phrase(PASSIVE_RELATIVE, 1).cut


class TestPropositions:
    @pytest.mark.parametrize(
        ("sentence", "expected"),
        [
            (ACTIVE, [("drive", "The pump", "two steam - turbines of the plant", "active", "clause", False)]),
            (PASSIVE, [("control", "a relay", "Valves", "passive", "clause", True)]),
            (RELATIVE, [("cool", "A fan", "engines", "active", "relative", False)]),
            (PASSIVE_RELATIVE, [("fill", "wind", "Sails", "passive", "relative", False)]),
            (
                PARTICIPLES,
                [
                    ("turn", "water", "Wheels", "passive", "participle", False),
                    ("stop", "Wheels", "belts", "active", "clause", False),
                    ("carry", "belts", "grain", "active", "participle", False),
                ],
            ),
            (
                CONJOINED,
                [
                    ("slow", "Brakes", "trains", "active", "clause", False),
                    ("heat", "Brakes", "wheels", "active", "conjunct", False),
                ],
            ),
            (
                CONJOINED_PASSIVE,
                [
                    ("open", "guards", "Doors", "passive", "clause", False),
                    ("close", "springs", "Doors", "passive", "conjunct", False),
                ],
            ),
            (MIXED_VOICE, []),
            (IDLE[0], []),
        ],
    )
    def test_constructions(self, sentence, expected):
        found = qa.propositions(qa.Document("d", (sentence,)))
        assert [
            (p.lemma, words(sentence, p.subject), words(sentence, p.object), p.voice, p.kind, p.past) for p in found
        ] == expected

    def test_perfect(self):
        sentence = tree("Ice ice NN 3 nsubj | has have VBZ 3 aux | blocked block VBN 0 root | ports port NNS 3 dobj")
        found = qa.propositions(qa.Document("d", (sentence,)))
        assert [(p.voice, p.past) for p in found] == [("active", False)]

    def test_infinitive_of_purpose_has_no_subject(self):
        sentence = tree("tools tool NNS 0 root | for for IN 3 mark | cutting cut VBG 1 acl | wood wood NN 3 dobj")
        assert qa.propositions(qa.Document("d", (sentence,))) == []


class TestInflection:
    @pytest.mark.parametrize(
        ("lemma", "forms"),
        [
            ("bind", "bind binds bound bound"),
            ("carry", "carry carries carried carried"),
            ("delay", "delay delays delayed delayed"),
            ("suppress", "suppress suppresses suppressed suppressed"),
            ("reduce", "reduce reduces reduced reduced"),
            ("transmit", "transmit transmits transmitted transmitted"),
            ("inhibit", "inhibit inhibits inhibited inhibited"),
            ("show", "show shows showed shown"),
            ("drive", "drive drives drove driven"),
            ("bear", "bear bears bore borne"),
            ("mimic", "mimic mimics mimicked mimicked"),
        ],
    )
    def test_forms(self, lemma, forms):
        assert [qa.inflect(lemma, tag) for tag in ("VBP", "VBZ", "VBD", "VBN")] == forms.split()

    def test_unknown_tag(self):
        with pytest.raises(ValueError, match="no rule for a verb's tag 'VBG'"):
            qa.inflect("bind", "VBG")

    def test_every_verb_of_the_tables_has_forms(self):
        verbs = {verb for known, others in qa.listed("paraphrases").items() for verb in (known, *others)}
        assert all(qa.inflect(verb, "VBN").endswith(("ed", "wn", "ne", "pt")) for verb in verbs)


class TestQuestionTree:
    @pytest.mark.parametrize(
        ("missing", "form", "verb", "expected"),
        [
            ("subject", "same", None, "What drives two steam - turbines of the plant?"),
            ("object", "same", None, "What does the pump drive?"),
            ("subject", "voice", None, "What are two steam - turbines of the plant driven by?"),
            ("object", "voice", None, "What is driven by the pump?"),
            ("subject", "verb", "move", "What moves two steam - turbines of the plant?"),
            ("object", "voice+verb", "move", "What is moved by the pump?"),
        ],
    )
    def test_active(self, missing, form, verb, expected):
        found = qa.question_tree(ACTIVE, only(ACTIVE), missing, form, verb, lower={"the"})
        assert qa.text(found) == found.comments["text"] == expected

    @pytest.mark.parametrize(
        ("missing", "form", "expected"),
        [
            ("subject", "same", "What were valves controlled by?"),
            ("object", "same", "What was controlled by a relay?"),
            ("subject", "voice", "What controlled valves?"),
            ("object", "voice", "What did a relay control?"),
        ],
    )
    def test_passive(self, missing, form, expected):
        assert qa.text(qa.question_tree(PASSIVE, only(PASSIVE), missing, form, lower={"valves"})) == expected

    def test_plural_subject_takes_do(self):
        first = qa.propositions(qa.Document("d", (CONJOINED,)))[0]
        assert qa.text(qa.question_tree(CONJOINED, first, "object", "same")) == "What do Brakes slow?"

    def test_tree_of_active_question(self):
        found = qa.question_tree(ACTIVE, only(ACTIVE), "object", "same", lower={"the"})
        assert [(t.form, t.lemma, t.upos, t.xpos, t.head, t.deprel) for t in found] == [
            ("What", "what", "PRON", "WP", 5, "dobj"),
            ("does", "do", "AUX", "VBZ", 5, "aux"),
            ("the", "the", "DET", "DT", 4, "det"),
            ("pump", "pump", "NOUN", "NN", 5, "nsubj"),
            ("drive", "drive", "VERB", "VB", 0, "root"),
            ("?", "?", "PUNCT", ".", 5, "punct"),
        ]

    def test_tree_of_passive_questions(self):
        stranded = qa.question_tree(PASSIVE, only(PASSIVE), "subject", "same")
        assert [(t.form, t.head, t.deprel) for t in stranded] == [
            ("What", 4, "nmod"), ("were", 4, "auxpass"), ("Valves", 4, "nsubjpass"), ("controlled", 0, "root"),
            ("by", 1, "case"), ("?", 4, "punct"),
        ]  # fmt: skip
        agent = qa.question_tree(PASSIVE, only(PASSIVE), "object", "same")
        assert [(t.form, t.head, t.deprel) for t in agent] == [
            ("What", 3, "nsubjpass"), ("was", 3, "auxpass"), ("controlled", 0, "root"), ("by", 6, "case"),
            ("a", 6, "det"), ("relay", 3, "nmod"), ("?", 3, "punct"),
        ]  # fmt: skip

    def test_questions_are_good_conllu(self, tmp_path):
        lines = []
        for missing in qa.ARGUMENTS:
            for form in ("same", "voice"):
                found = qa.question_tree(ACTIVE, only(ACTIVE), missing, form)
                lines += ["\t".join(str(value) for value in vars(token).values()) for token in found] + [""]
        path = tmp_path / "q.conllu"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        assert len(list(read_conllu(path))) == 4

    def test_bad_input(self):
        with pytest.raises(ValueError, match="must be one of"):
            qa.question_tree(ACTIVE, only(ACTIVE), "verb", "same")
        with pytest.raises(ValueError, match="'verb' needs other verb"):
            qa.question_tree(ACTIVE, only(ACTIVE), "object", "verb")
        with pytest.raises(ValueError, match="takes no other verb"):
            qa.question_tree(ACTIVE, only(ACTIVE), "object", "same", "move")

    def test_lower_case_by_use(self):
        where = qa.Document("d", (tree(
            "Ohm ohm NN 2 nsubj | met meet VBD 0 root | Ohm ohm NN 2 dobj | and and CC 3 cc | steam steam NN 3 conj"
        ),))  # fmt: skip
        assert {"steam", "and", "met"} == qa.lower_case([where])


class TestRejection:
    def test_good_ones(self):
        assert reason(clause("drive")) is None
        assert reason(ACTIVE, missing="object") is None
        assert reason(RELATIVE, missing="object") is None

    @pytest.mark.parametrize(
        ("sentence", "expected"),
        [
            (clause("drive", extra=("not not RB 2 neg",)), "negated"),
            (clause("drive", extra=("no no DT 3 det",)), "negated"),
            (clause("drive", extra=("hardly hardly RB 2 advmod",)), "negated"),
            (clause("drive", extra=("may may MD 2 aux",)), "modal, conditional or infinitive"),
            (clause("drive", extra=("whether whether IN 2 mark",)), "modal, conditional or infinitive"),
            (clause("have"), "verb too general"),
            (clause("drive", subject=("results", "result", "NNS")), "study as its own subject"),
            (clause("drive", extra=("run run VB 2 xcomp",)), "verb with a clause, a particle or a doubtful tree"),
            (clause("drive", extra=("up up RP 2 compound:prt",)), "verb with a clause, a particle or a doubtful tree"),
            (
                clause("prevent", extra=("from from IN 5 case", "damage damage NN 2 nmod")),
                "verb with a clause, a particle or a doubtful tree",
            ),
            (clause("drive", subject=("It", "it", "PRP")), "argument is a pronoun or has no noun"),
            (clause("drive", object=("5", "5", "NN")), "argument is a pronoun or has no noun"),
            (clause("drive", object=("others", "other", "NNS")), "argument refers back or is open"),
            (
                clause("drive", extra=("and and CC 3 cc", "mill mill NN 3 conj")),
                "known argument would be cut short",
            ),
            (clause("drive", object=("mechanism", "mechanism", "NN")), "argument too vague"),
        ],
    )
    def test_reasons(self, sentence, expected):
        assert expected in qa.REASONS
        assert reason(sentence) == expected

    def test_unresolved_relative(self):
        sentence = tree("which which WDT 2 nsubj | drives drive VBZ 0 root | mills mill NNS 2 dobj")
        assert reason(sentence) == "argument is a pronoun or has no noun"

    def test_relative_of_conjoined_nouns(self):
        assert reason(
            tree(
                "fans fan NNS 7 nsubj | and and CC 1 cc | pumps pump NNS 1 conj | that that WDT 5 nsubj | "
                "cool cool VBP 1 acl:relcl | engines engine NNS 5 dobj | hum hum VBP 0 root"
            )
        ) == "verb with a clause, a particle or a doubtful tree"  # fmt: skip

    def test_agent_after_another_verb(self):
        assert reason(
            tree(
                "doors door NNS 3 nsubjpass | are be VBP 3 auxpass | opened open VBN 0 root | and and CC 3 cc | "
                "closed close VBN 3 conj | by by IN 7 case | guards guard NNS 3 nmod"
            )
        ) == "verb with a clause, a particle or a doubtful tree"  # fmt: skip

    def test_long_argument(self):
        assert reason(ACTIVE, longest=6) == "known argument too long"
        assert reason(ACTIVE, longest=7) is None

    def test_short_document(self):
        where = qa.Document("d", (clause("drive"), IDLE[0]))
        found = qa.rejection(where, qa.propositions(where)[0], "subject")
        assert found == "document of fewer than three sentences"

    @pytest.mark.parametrize(
        "other",
        [
            clause("drive", subject=("motor", "motor", "NN")),
            clause("induce", subject=("motor", "motor", "NN")),  # of the same family
            tree("turbine turbine NN 2 compound | activation activation NN 3 nsubj | came come VBD 0 root"),
        ],
    )
    def test_another_sentence_may_answer(self, other):
        assert reason(clause("drive"), other) == "another sentence may answer"
        assert qa.mentions(document(clause("drive"), other), only(clause("drive")), only(clause("drive")).object) == [1]

    def test_another_sentence_by_its_abbreviation(self):
        first = tree(
            "Iron iron NN 3 compound | ore ore NN 3 compound | dust dust NN 4 nsubj | clogs clog VBZ 0 root | "
            "filters filter NNS 4 dobj"
        )  # fmt: skip
        second = tree("dust dust NN 4 nsubj | ( ( -LRB- 3 punct | IOD iod NN 1 appos | fell fall VBD 0 root")
        third = tree("IOD iod NN 2 nsubj | clogs clog VBZ 0 root | lungs lung NNS 2 dobj")
        where = document(first, second, third)
        one = qa.propositions(where)[0]
        assert qa.mentions(where, one, one.subject) == [2]

    def test_unrelated_sentence_does_not_matter(self):
        assert reason(clause("drive"), clause("need", subject=("turbine", "turbine", "NN"))) is None


class TestGeneration:
    @staticmethod
    def documents(n: int = 12) -> list[qa.Document]:
        verbs = ("block", "drive", "require", "increase")
        return [
            document(
                *(
                    clause(verb, subject=(f"pump-{i}{j}", f"pump-{i}{j}", "NN"), object=(f"mill-{i}{j}",) * 2 + ("NN",))
                    for j, verb in enumerate(verbs)
                ),
                id=f"doc{i}",
            )
            for i in range(n)
        ]

    def test_funnel_sums_up(self):
        found = qa.generate(self.documents(), seed=3, n=20)
        assert sum(found.outcomes.values()) == 2 * len(found.propositions) == 96
        assert list(found.outcomes) == [*qa.REASONS, qa.WAITING, qa.NOT_DRAWN, qa.KEPT]
        assert found.outcomes[qa.KEPT] == len(found.questions) == 20
        assert sum(found.by_form().values()) == 20

    def test_forms_are_balanced(self):
        found = qa.generate(self.documents(), seed=3, n=20)
        per_form = [sum(n for (form, _), n in found.by_form().items() if form == one) for one in qa.FORMS]
        assert per_form == [5, 5, 5, 5]

    def test_deterministic_and_seeded(self):
        first, again, other = (qa.generate(self.documents(), seed=seed, n=20).questions for seed in (3, 3, 4))
        assert first == again
        assert first.questions != other.questions

    def test_ids_answers_and_documents(self):
        found = qa.generate(self.documents(), seed=3, n=20).questions
        for question in found.questions:
            pmid, sentence, verb, missing, form = question.id.split(":")
            assert question.document == pmid and question.answer == int(sentence) and verb == "2"
            assert question.alternation == form.replace("+", " and ")
            assert question.answer_text == ("pump" if missing == "subject" else "mill") + question.answer_text[4:]
            assert question.sentence.comments["sent_id"] == question.id
            assert question.answer_text not in str(question)
        assert {question.document for question in found.questions} == set(found.by_id)

    def test_at_most_so_many_a_document_and_one_a_proposition(self):
        found = qa.generate(self.documents(2), seed=0, n=20, most=2)
        assert len(found.questions) == 4
        assert found.outcomes[qa.WAITING] == 12
        every = qa.generate(self.documents(2), seed=0, n=20)
        assert len(every.questions) == 8 and every.outcomes[qa.WAITING] == 8

    def test_bad_input(self):
        with pytest.raises(TaskError, match="must each be 1 or more"):
            qa.generate(self.documents(), n=0)
        with pytest.raises(TaskError, match="the same id"):
            qa.generate(self.documents(1) * 2)


LINE = "1\t{word}\t{word}\tNOUN\tNN\t_\t0\troot\t_\t_\n"


def test_documents(tmp_path):
    (tmp_path / "t.conllu").write_text((LINE.format(word="a") + "\n") * 3, encoding="utf-8")
    (tmp_path / "t.pmids").write_text("7\n7\n8\n", encoding="utf-8")
    found = qa.documents([(tmp_path / "t.conllu", tmp_path / "t.pmids")])
    assert [(one.id, len(one)) for one in found] == [("7", 2), ("8", 1)]
    assert found[0].sentences[1].comments == {"doc_id": "7", "sent_id": "7.1"}
    (tmp_path / "t.pmids").write_text("7\n8\n7\n", encoding="utf-8")
    with pytest.raises(TaskError, match="t.pmids, line 3: abstract 7 begins a second time"):
        qa.documents([(tmp_path / "t.conllu", tmp_path / "t.pmids")])
    (tmp_path / "t.pmids").write_text("7\n8\n", encoding="utf-8")
    with pytest.raises(TaskError, match="2 ids for the 3 sentences of t.conllu"):
        qa.documents([(tmp_path / "t.conllu", tmp_path / "t.pmids")])


class TestCheck:
    def test_read_and_precision(self, tmp_path):
        questions = qa.generate(TestGeneration.documents(), seed=3, n=10).questions
        ids = qa.sample_for_check(questions, 4, seed=0)
        assert len(set(ids)) == 4 and ids == qa.sample_for_check(questions, 4, seed=0)
        path = tmp_path / "check.tsv"
        lines = [f"{id}\t{'wrong' if i == 0 else 'right'}\twhy" for i, id in enumerate(ids)]
        path.write_text("\n".join(["question\tdecision\treason", *lines]) + "\n", encoding="utf-8")
        found, n = qa.precision(qa.read_check(path), questions)
        # Wilson's interval of 3 of 4 with z = 1.96: (p + z²/2n ± z sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n)
        assert (found.value, n) == (0.75, 4)
        assert (found.low, found.high) == pytest.approx((0.30064, 0.95443), abs=1e-4)

    @pytest.mark.parametrize(
        ("lines", "message"),
        [
            ("a\tmaybe\twhy\n", "line 2: decision must be one of right, wrong, found 'maybe'"),
            ("a\tright\twhy\na\tright\twhy\n", "line 3: question 'a' stands already in line 2"),
            ("a\tright\t\n", "line 2: expected 3 fields"),
            ("", "no rows below"),
        ],
    )
    def test_bad_file(self, tmp_path, lines, message):
        path = tmp_path / "check.tsv"
        path.write_text("question\tdecision\treason\n" + lines, encoding="utf-8")
        with pytest.raises(TaskError, match=message):
            qa.read_check(path)

    def test_check_of_other_questions(self):
        questions = qa.generate(TestGeneration.documents(1), n=2).questions
        with pytest.raises(TaskError, match="1 checked questions, the first z, are not among"):
            qa.precision({"z": qa.Decision("right", "why")}, questions)
        with pytest.raises(TaskError, match="no checked question is"):
            qa.precision({}, questions)


class TestTables:
    def test_paraphrases_are_of_the_family(self):
        for verb, others in qa.listed("paraphrases").items():
            assert verb not in others
            assert set(others) <= qa.family(verb)
            assert verb not in qa.listed("general_verbs")

    def test_steering_is_wide(self):
        assert qa.listed("raising") | qa.listed("lowering") <= qa.family("regulate")
        assert not qa.listed("lowering") <= qa.family("increase")


@pytest.fixture(scope="module")
def construction(mirror) -> qa.Construction:
    """The questions of the book, from GENIA."""
    return qa.generate(qa.genia())


class TestGenia:
    def test_counts(self, construction):
        assert construction.documents == 448
        assert len(construction.questions) == 400
        assert sum(construction.outcomes.values()) == 2 * len(construction.propositions)
        per_form = [sum(n for (form, _), n in construction.by_form().items() if form == one) for one in qa.FORMS]
        assert min(per_form) >= 75
        assert min(construction.by_form().values()) >= 20
        assert all(len(document) >= 3 for document in construction.questions.documents)

    def test_deterministic(self, construction, mirror):
        assert qa.load("genia") == construction.questions

    def test_hand_check(self, construction, root):
        check = qa.read_check(root / "data" / "annotations" / "genia_questions.tsv")
        assert tuple(check) == qa.sample_for_check(construction.questions)
        found, n = qa.precision(check, construction.questions)
        assert n == 60 and 0.5 < found.low <= found.value <= found.high

    def test_inflection_agrees_with_the_treebank(self, mirror):
        verbs = [
            token
            for document in qa.genia()
            for sentence in document.sentences
            for token in sentence
            if token.xpos in ("VBZ", "VBD", "VBN") and token.lemma not in ("be", "have", "do")
        ]
        agreeing = sum(qa.inflect(token.lemma, token.xpos) == token.form.lower() for token in verbs)
        assert agreeing / len(verbs) > 0.995
