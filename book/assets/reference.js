// A link to a name of the library opens what folds away around it and below it.
(() => {
  function open() {
    const name = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!name?.matches("dt.sig")) return;
    for (const fold of [name.closest("details"), name.parentElement.querySelector(":scope > dd > details")])
      if (fold) fold.open = true;
    name.scrollIntoView();
  }

  addEventListener("hashchange", open);
  document.addEventListener("DOMContentLoaded", open);
})();
