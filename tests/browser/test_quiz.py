"""The quizzes in a browser: by mouse, and without JavaScript."""

import pytest

from .conftest import book_pages

pytestmark = pytest.mark.browser

QUIZZES = [page for page in book_pages() if page.startswith("book/course/") and page.split("/")[-1][0].isdigit()]


def option(question, right: bool):
    return question.locator(f".quiz-option[data-right='{str(right).lower()}']")


def choose(question, right: bool):
    """Choose all right options, or the first wrong one alone."""
    for box in question.locator("input[type=checkbox]:checked").all():
        box.uncheck()
    chosen = option(question, right).all()
    for one in chosen if right else chosen[:1]:
        one.locator("label").click()


def test_a_quiz_says_right_or_wrong_and_counts(open_page, server):
    """Each question answered wrongly, then rightly: verdict, explanation of the choice, and count follow."""
    page = open_page(server + QUIZZES[0]).page
    questions = page.locator(".quiz-question").all()
    assert len(questions) >= 6
    for number, question in enumerate(questions, start=1):
        verdict = question.locator(".quiz-verdict")
        assert verdict.inner_text() == ""
        choose(question, False)
        question.get_by_role("button", name="Check").click()
        assert verdict.inner_text().startswith("Not quite")
        assert option(question, False).first.locator("details p").is_visible()
        assert not option(question, True).first.locator("details p").is_visible()
        choose(question, True)
        assert verdict.inner_text() == ""  # another choice takes the verdict back
        question.get_by_role("button", name="Check").click()
        assert verdict.inner_text() == "Right."
        assert all(one.locator("details p").is_visible() for one in option(question, True).all())
        score = page.locator(".quiz-score").inner_text()
        assert score == f"{number} of {len(questions)} correct."


def test_a_quiz_without_javascript(chromium, server):
    """Every explanation opens and says whether its option is right."""
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(server + QUIZZES[0])
    assert page.locator(".quiz-check").count() == 0
    for one in page.locator(".quiz-option").all():
        one.locator("summary").click()
        said = one.locator("details strong").inner_text()
        assert said == ("Right." if one.get_attribute("data-right") == "true" else "No.")
        assert one.locator("details p").is_visible()
    context.close()
