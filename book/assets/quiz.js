// A quiz checks an answer, opens the explanation of what was chosen, and counts. Without this script the explanations
// open by hand. Checking takes a button, so that the arrow keys can go through the options without giving any away.
document.addEventListener("DOMContentLoaded", () => {
  for (const quiz of document.querySelectorAll(".quiz")) {
    quiz.classList.add("quiz-live");
    const questions = [...quiz.querySelectorAll(".quiz-question")];
    const score = quiz.querySelector(".quiz-score");

    const mark = (question, state, text) => {
      question.dataset.state = state;
      question.querySelector(".quiz-verdict").textContent = text;
    };

    const check = (question) => {
      const options = [...question.querySelectorAll(".quiz-option")];
      const isRight = (option) => option.dataset.right === "true";
      const chosen = options.filter((option) => option.querySelector("input").checked);
      const all = options.filter(isRight).length;
      if (!chosen.length) {
        mark(question, "", "Choose an answer first.");
        return;
      }
      for (const option of chosen) {
        option.dataset.state = isRight(option) ? "right" : "wrong";
        option.querySelector("details").open = true;
      }
      if (!chosen.every(isRight)) {
        mark(question, "wrong", "Not quite. Read why below your choice, and choose again.");
      } else if (chosen.length < all) {
        mark(question, "open", `Right so far: ${chosen.length} of ${all} answers.`);
      } else {
        mark(question, "right", "Right.");
      }
      const right = questions.filter((other) => other.dataset.state === "right").length;
      score.textContent = `${right} of ${questions.length} correct.`;
    };

    for (const question of questions) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "quiz-check";
      button.textContent = "Check";
      button.setAttribute("aria-label", `Check question ${questions.indexOf(question) + 1}`);
      button.addEventListener("click", () => check(question));
      question.querySelector(".quiz-verdict").before(button);
      question.addEventListener("change", () => {
        mark(question, "", "");
        for (const option of question.querySelectorAll(".quiz-option")) {
          delete option.dataset.state;
        }
      });
    }
  }
});
