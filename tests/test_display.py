"""What notebooks show besides charts."""

from cdsm_lib.display import ABSENT, figure, p_value, plain, result_of, say, table


def test_a_sortable_table_says_so_in_its_html():
    plain, sortable = (table(("system", "MAP"), [("SIF", 0.4)], sortable=s) for s in (False, True))
    assert '<table class="table">' in plain._repr_html_() and '<table class="table sortable">' in sortable._repr_html_()
    assert str(plain) == str(sortable) and plain.to_markdown() == sortable.to_markdown()


def test_table_of_values_writes_numbers_alike():
    shown = table(("what", "value"), [("a", 0.12345), ("b", 1234), ("c", None), ("d", -0.0001)], "Caption")
    assert [row[1] for row in shown.rows] == ["0.123", "1,234", ABSENT, "0.000"]
    assert (shown.columns, shown.caption, shown.row_headers) == (("what", "value"), "Caption", 1)


def test_a_dash_stands_where_there_is_no_figure():
    assert figure(None) == ABSENT and result_of(None, system="SPLF") is None


def test_p_values_and_words():
    assert [p_value(p) for p in (0.04, 0.001, 0.00099)] == ["p = 0.040", "p = 0.001", "p < 0.001"]
    assert plain(["be|VERB", "a|b|NOUN"], ", ") == "be, a|b"


def test_a_sentence_is_shown_as_markdown(monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", shown.append)
    say("**3** of 4")
    assert shown[0].data == "**3** of 4"
