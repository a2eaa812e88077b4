"""Every reader of a file of a task or of a construction, against what no reader can read."""

import pytest

from cdsm_lib.construction import lexical_substitution as anvan
from cdsm_lib.construction import question_answering as questions
from cdsm_lib.construction import relation_classification as relations
from cdsm_lib.construction import relpron as construction
from cdsm_lib.construction import sense_discrimination as senses
from cdsm_lib.tables import TaskError
from cdsm_lib.tasks import localisation, phrase_similarity, rated_pairs, relpron

READERS = [
    relpron.read, localisation.read_msrpc, localisation.read_paraphrases, phrase_similarity.read,
    phrase_similarity.read_graded, rated_pairs.read_pairs, construction.read_annotations, questions.hand_check,
    relations.read_labels, anvan.read_decisions, anvan.read_substitutes,
    lambda path: senses.read_published_senses(path, 2),
]  # fmt: skip
FAULTS = {
    "missing": lambda path: None,
    "a folder": lambda path: path.mkdir(),
    "a link to itself": lambda path: path.symlink_to(path),
    "without end": lambda path: path.symlink_to("/dev/zero"),
    "empty": lambda path: path.write_bytes(b""),
    "a mark and no more": lambda path: path.write_bytes(b"\xef\xbb\xbf"),
    "bytes": lambda path: path.write_bytes(bytes(range(256)) * 9),
    "Latin-1": lambda path: path.write_bytes("Äpfel\n".encode("latin-1")),
    "one long line": lambda path: path.write_bytes(b"<a>" * 100_000),
    "another's": lambda path: path.write_bytes(b"secret\tof\tanother\n" * 9),
    "XML": lambda path: path.write_bytes(b'<?xml version="1.0" encoding="UTF-99"?><document/>'),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("read", READERS)
def test_what_cannot_be_read_is_one_clear_error(tmp_path, read, fault):
    path = tmp_path / "mine.tsv"
    FAULTS[fault](path)
    with pytest.raises(TaskError, match=r"^mine\.tsv") as refused:
        read(path)
    assert len(str(refused.value)) < 700
    if read is not rated_pairs.read_pairs:  # which names the columns that the table has, for its user to choose from
        assert "secret" not in str(refused.value)


@pytest.mark.parametrize(("suffix", "packed"), [("gz", b"\x1f\x8b\x08\0" + b"x" * 99), ("xz", b"no archive")])
def test_a_damaged_archive_is_named(tmp_path, packed, suffix):
    path = tmp_path / f"coinco.xml.{suffix}"
    path.write_bytes(packed)
    with pytest.raises(TaskError, match=rf"^coinco\.xml\.{suffix}"):
        anvan.read_coinco(path)
