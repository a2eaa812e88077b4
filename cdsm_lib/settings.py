"""Settings: the two sizes of the book, and the parameters of a notebook that take the place of some of them.

`data/profiles.toml` holds the settings of the profiles ``sample`` and ``full``; and in a table for each notebook what
its parameters may be, which settings they replace, and whether the sample profile may change them. A notebook calls

    settings = load_settings("40-phrase-similarity", profile, seed=seed, epochs=epochs, ...)

with all the parameters of its table, and reads ``settings["seed"]``, ``settings["vectors.dep2vec"]``. What cannot be
used is refused with a `ParameterError` that names the parameter and says what it may be.
"""

import copy
import difflib
import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

from cdsm_lib.datasets import BASES, DataError, data_root, own_profile, read_toml, unknown
from cdsm_lib.tables import shown

CHECKOUT = Path(__file__).resolve().parent.parent
"""The folder of the project."""
KEPT = '"made_with"'
"""What every file of results holds: the mark of those that a notebook keeps, see `place_for`."""


class ParameterError(ValueError):
    """A parameter of a notebook has a value that it cannot use; the message names it, and what it may be."""


def place_for(name: str, path: str | os.PathLike, mark: str = "") -> Path:
    """Where a user has something written: outside the project or below its ``_build``, and over no file of hers.

    `name` is the parameter's or option's, for the message. `mark` is what every file of the kind holds, such as
    ``"made_with"``: only a file that holds it is written over. It is empty for a folder, whose maker says what may
    stand in it. Gives an absolute path, links followed; a `ParameterError` names parameter and path.
    """
    if not isinstance(path, str | os.PathLike) or not str(path).strip("\0 "):
        raise ParameterError(f"{name}={shown(path)}: a path is needed, such as {name}=_build/mine")
    try:
        place = Path(path).expanduser().resolve()
        above = next(folder for folder in place.parents if folder.exists())
        inside = place.is_relative_to(CHECKOUT) and CHECKOUT / "_build" not in place.parents
        other = mark and place.is_file() and mark not in place.read_text("utf-8", errors="replace")
        refusals = {
            "the project's own files are not written over; take a place below _build, or outside the project": inside,
            f"{above} is no folder": not above.is_dir(),
            "you may not write there": not os.access(place if place.exists() else above, os.W_OK),
            "a folder stands there": mark and place.is_dir(),
            "another file stands there, which is not written over": other,
        }
    except (OSError, RuntimeError, ValueError) as error:  # too long, links in a circle, a null byte
        problem = getattr(error, "strerror", error)
        raise ParameterError(f"{name}={shown(path)} is no path to write to ({problem})") from None
    for problem, applies in refusals.items():
        if applies:
            raise ParameterError(f"{name}={path}: {problem}")
    return place


@dataclass(frozen=True)
class Profile:
    """Settings of one size of the book, read by dotted path: ``profile["spaces.count.features"]``.

    A path that ends at a table gives a copy of it as a dict, so ``**profile["spaces.count"]`` passes its settings on.
    """

    name: str
    settings: Mapping[str, Any]

    def __getitem__(self, path: str) -> Any:
        try:
            return copy.deepcopy(reduce(getitem, path.split("."), self.settings))
        except (KeyError, TypeError):
            raise DataError(f"unknown setting {path}: [{self.name}] of data/profiles.toml has none there") from None

    def get(self, path: str, default: Any = None) -> Any:
        """The setting at `path`, or `default` if the profile has none there."""
        try:
            return self[path]
        except DataError:
            return default

    def replace(self, values: Mapping[str, Any]) -> "Profile":
        """The profile with other values at these paths; a list becomes a tuple.

        Examples
        --------
        >>> Profile("full", {"seed": 1, "corpus": {"files": 0}}).replace({"corpus.files": 4}).settings
        {'seed': 1, 'corpus': {'files': 4}}
        """
        settings = copy.deepcopy(dict(self.settings))
        for path, value in values.items():
            *above, last = path.split(".")
            reduce(getitem, above, settings)[last] = tuple(value) if isinstance(value, list) else value
        return Profile(self.name, settings)


def expect_among(name: str, value: object, known: Iterable[object], problem: str = "") -> None:
    """Refuse a parameter that is none of these, with a `ParameterError` that says so and names some near it.

    Without a `problem` to state it lists all that are known.

    Examples
    --------
    >>> expect_among("word", "star|NOUN", {"star|NOUN", "sky|NOUN"}, "not among the words here")
    """
    known = list(known)
    if any(value == choice and type(value) is type(choice) for choice in known):
        return
    problem = problem or f"choose one of {', '.join(map(repr, known))}"
    near = difflib.get_close_matches(shown(value).strip("'"), map(str, known), n=3)
    guess = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    raise ParameterError(f"{name}={shown(value)}: {problem}.{guess}")


def load_profile(name: str) -> Profile:
    """The profile ``sample`` or ``full`` of ``data/profiles.toml``; `DataError` if it is another, or cannot be read."""
    profiles = {key: table for key, table in _read().items() if key != "parameters"}
    if not isinstance(name, str) or name not in profiles:
        raise DataError(unknown("profile", name, profiles, "data/profiles.toml"))
    return Profile(name, profiles[name])


def use_profile(name: str) -> str:
    """Have this process, and those that it starts, read a profile: ``sample``, ``full``, or one of the user's own.

    `name` may also be the file of one's own profile, or its name in ``data/profiles``; see `own_profile`. Gives what
    notebooks take for their parameter ``profile``: the name itself, or that of the profile that it extends. A
    `DataError` as `own_profile`, and for a setting that the profile which it extends does not have.
    """
    os.environ.pop("CDSM_PROFILE", None)
    name = str(name) if isinstance(name, Path) else name
    if not isinstance(name, str) or not name or name in BASES:
        return load_profile(name).name
    profile = own_profile(name)
    os.environ["CDSM_PROFILE"] = str(profile["file"])
    return load_profile(profile["extends"]).name


def _read() -> dict:
    """The file of the profiles, with one's own laid over that which it extends."""
    profiles = read_toml(data_root() / "profiles.toml", "profiles")
    if above := own_profile():
        profiles[above["extends"]] = _over(profiles[above["extends"]], above["settings"], above["name"])
    return profiles


def _over(settings: Mapping, above: Mapping, name: str) -> dict:
    """Settings with a user's own in their places; a `DataError` for one that is not known or of another kind."""
    settings = dict(settings)
    for key, value in above.items():
        place = f"{name}.{key}"
        if key not in settings:
            raise DataError(unknown("setting", place, settings, "data/profiles.toml", key))
        before = settings[key]
        kinds = (int, float) if isinstance(before, float) else type(before)
        if not isinstance(value, kinds) or isinstance(value, bool) != isinstance(before, bool):
            raise DataError(f"{place} = {shown(value)}: something like {shown(before)} is needed")
        settings[key] = _over(before, value, place) if isinstance(before, Mapping) else value
    return settings


def load_settings(notebook: str, profile: str, **parameters) -> Profile:
    """A profile with the parameters of a notebook in the place of its settings.

    The table ``[parameters.NOTEBOOK]`` says what they may be; all of its parameters are given, and None leaves the
    settings that it would replace as they are.

    Raises
    ------
    DataError
        As `load_profile`.
    ParameterError
        Naming the parameter: a value of another kind than the setting that it replaces, none of its choices, a number
        outside its bounds, or a value for what the sample profile has ready-made.
    TypeError
        If the parameters are not those of the table.
    """
    settings, rules = load_profile(profile), _read()["parameters"].get(notebook, {})
    if parameters.keys() != rules.keys():
        named = f"has {', '.join(rules) or 'nothing'}; given are {', '.join(parameters) or 'none'}"
        raise TypeError(f"[parameters.{notebook}] of data/profiles.toml {named}")
    replaced = {}
    for name, value in parameters.items():
        rule = rules[name]
        paths = [rule["replaces"]] if isinstance(rule.get("replaces"), str) else rule.get("replaces", [])
        if value is None and (paths or rule.get("optional")):
            continue
        if profile == "sample" and not rule.get("sample", True):
            problem = "the sample profile has counts of the whole corpus that were made beforehand"
            raise ParameterError(f"{name}={value!r}: {problem}; leave {name} out, or give profile=full as well")
        _check(name, value, rule, settings[paths[0]] if paths else None)
        replaced |= dict.fromkeys(paths, value)
    return settings.replace(replaced)


def check_settings(notebook: str, parameters: Mapping[str, Any]) -> None:
    """Refuse, before a notebook runs, what `load_settings` would refuse in it.

    `parameters` are all of the notebook; its own may be among them. A notebook that is not of the book has no rules,
    and of it only the profile is looked at.
    """
    load_profile(parameters.get("profile", "sample"))
    rules = _read()["parameters"].get(notebook, {})
    if rules.keys() <= parameters.keys():
        load_settings(notebook, parameters["profile"], **{name: parameters[name] for name in rules})


def _check(name: str, value: object, rule: Mapping, like: object) -> None:
    """Refuse a value that is none of the rule's choices, not of its kind (or that of `like`), or out of its bounds."""
    kind = rule.get("kind") or {bool: "truth", int: "whole", float: "number", str: "text"}.get(type(like))
    if rule.get("file") and isinstance(value, str) and os.sep in value:
        if not Path(value).is_file():
            raise ParameterError(f"{name}={shown(value)}: there is no such file")
    elif "choices" in rule or kind == "truth":
        expect_among(name, value, rule.get("choices", (True, False)))
    elif kind == "text":
        if not isinstance(value, str):
            raise ParameterError(f"{name}={shown(value)}: text is needed, such as {like!r}")
    elif kind == "numbers" and (not isinstance(value, list | tuple) or not value):
        raise ParameterError(f"{name}={shown(value)}: a list of numbers is needed, such as [0.1,1,10]")
    else:
        least, most = rule.get("least", 0), rule.get("most", math.inf)
        bounds = f"of {least:g} or more" if most == math.inf else f"from {least:g} to {most:g}"
        for number in value if kind == "numbers" else [value]:
            fitting = isinstance(number, int if kind == "whole" else int | float) and not isinstance(number, bool)
            if not fitting or not least <= number <= most or number == math.inf:
                what = "whole number" if kind == "whole" else "number"
                raise ParameterError(f"{name}={shown(number)}: a {what} {bounds} is needed")
