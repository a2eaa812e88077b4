"""The text installed with gensim, and the cleaner of wiki markup."""


from cdsm_lib.text import gensim_text
from cdsm_lib.text.gensim_text import prose

PAGE = """{{Infobox animal
| name = Snail
}}
[[File:Snail.jpg|thumb|A [[snail]] on a leaf.]]
The '''snail''' is a ''slow''&nbsp;[[gastropod|animal]].<ref>Doe (1999).</ref> It{{fact}} has a shell<br>of its own.

== Food ==
Snails eat {{convert|3|g}} of leaves—mostly “green” ones—each day.
* A list item that ends like a sentence.
 Preformatted text that ends like one.
{| class="wikitable"
| A cell. || Another cell.
|}
<gallery>
File:Leaf.jpg|A leaf.
</gallery>
See [http://example.org the snail page].
Not a sentence
[[Category:Animals]]
[[de:Schnecken]]
"""


def test_markup_is_taken_out_and_prose_is_kept():
    assert prose(PAGE) == (
        "The snail is a slow animal. It has a shell of its own.",
        'Snails eat of leaves -- mostly "green" ones -- each day.',
        "See the snail page.",
    )
    assert prose("") == ()


BROKEN = """the beginning is missing.
The end is missing
The vowel , and another one.
Apollo ( ; from Latin) was a god.
An aardvark weighs between .
He said: "It goes on.
A bracket (is open.
A [[link was left.
A -wide snail.
See de:Schnecken for more."""
WHOLE = """Snails eat leaves.
"Do they?"
At 11:20 they slept (in the J. K. Rowling library)!
7 came."""


def test_broken_sentences_are_left_out_and_whole_ones_kept():
    assert [line for line in BROKEN.split("\n") if gensim_text._is_prose(line)] == []
    assert [line for line in WHOLE.split("\n") if not gensim_text._is_prose(line)] == []


def test_abbreviations_and_initials_do_not_end_a_sentence():
    whole = ["In Brown v. Board of Education it lost.", "J. K. Rowling met Dr. Smith in the U.S. Army, e.g. Mrs. Ford."]
    assert list(gensim_text._split([(" ".join(whole), "Vitamin C was new.")])) == [*whole, "Vitamin C was new."]
