"""Settings: the two sizes of the book, and the parameters of a notebook that take the place of some of them.

`data/profiles.toml` holds the settings of the profiles ``sample`` and ``full``; and in a table for each notebook what
its parameters may be, which settings they replace, and whether the sample profile may change them. A notebook calls

    settings = load_settings("40-phrase-similarity", profile, seed=seed, epochs=epochs, ...)

with all the parameters of its table, and reads ``settings["seed"]``, ``settings["vectors.dep2vec"]``. What cannot be
used is refused with a `ParameterError` that names the parameter and says what it may be.
"""

import copy
import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

from cdsm_lib.datasets import DataError, data_root, read_toml, unknown


class ParameterError(ValueError):
    """A parameter of a notebook has a value that it cannot use; the message names it, and what it may be."""


@dataclass(frozen=True)
class Profile:
    """Settings of one size of the book, read by dotted path: ``profile["spaces.count.features"]``.

    A path that ends at a table gives a copy of it as a dict, so ``**profile["spaces.count"]`` passes its settings on.
    """

    name: str
    settings: Mapping[str, Any]

    def __getitem__(self, path: str) -> Any:
        place = self.settings
        for depth, key in enumerate(path.split(".")):
            if not isinstance(place, Mapping) or key not in place:
                above = ".".join([self.name, *path.split(".")[:depth]])
                known = place if isinstance(place, Mapping) else ()
                table = f"[{above}] of data/profiles.toml"
                raise DataError(unknown("setting", f"{self.name}.{path}", known, table, key))
            place = place[key]
        return copy.deepcopy(place)

    def get(self, path: str, default: Any = None) -> Any:
        """The setting at `path`, or `default` if the profile has none there."""
        try:
            return self[path]
        except DataError:
            return default

    def __contains__(self, path: str) -> bool:
        nothing = object()
        return self.get(path, nothing) is not nothing

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
            table = reduce(getitem, above, settings)
            table[last] = tuple(value) if isinstance(value, list) else value
        return Profile(self.name, settings)


def expect_number(name: str, value: object, *, least=None, most=None, whole: bool = False) -> None:
    """Refuse a parameter that is no number, or none between these (inclusive), with a `ParameterError`."""
    fitting = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
    if fitting and (least is None or value >= least) and (most is None or value <= most):
        return
    bounds = "" if least is None else f" of {least:g} or more" if most is None else f" from {least:g} to {most:g}"
    raise ParameterError(f"{name}={value!r}: a {'whole ' if whole else ''}number{bounds} is needed")


def expect_one_of(name: str, value: object, choices: Iterable[object]) -> None:
    """Refuse a parameter that is none of these, with a `ParameterError` that lists them."""
    choices = list(choices)
    if any(value is choice or (type(value) is type(choice) and value == choice) for choice in choices):
        return
    near = difflib.get_close_matches(str(value), [str(choice) for choice in choices], n=1)
    guess = f" Did you mean {near[0]!r}?" if near else ""
    raise ParameterError(f"{name}={value!r}: choose one of {', '.join(map(repr, choices))}.{guess}")


def expect_among(name: str, value: object, known: Iterable[str], what: str) -> None:
    """Refuse a parameter that is none of many, with a `ParameterError` that says what it is not and names some near it.

    Examples
    --------
    >>> expect_among("word", "star|NOUN", {"star|NOUN", "sky|NOUN"}, "not among the words here")
    """
    known = list(known)
    if value not in known:
        near = ", ".join(difflib.get_close_matches(str(value), known, n=3)) or "none"
        raise ParameterError(f"{name}={value!r}: {what}; near it: {near}")


def load_profile(name: str, path: str | Path | None = None) -> Profile:
    """The profile ``sample`` or ``full`` of ``data/profiles.toml`` (or of another file).

    Raises
    ------
    DataError
        If there is no profile of that name, or the file cannot be read.
    """
    profiles = {key: table for key, table in _read(path).items() if key != "parameters"}
    if name not in profiles:
        raise DataError(unknown("profile", name, profiles, "data/profiles.toml"))
    return Profile(name, profiles[name])


def _read(path: str | Path | None) -> dict:
    return read_toml(Path(path) if path else data_root() / "profiles.toml")


def load_settings(notebook: str, profile: str, *, path: str | Path | None = None, **parameters) -> Profile:
    """A profile with the parameters of a notebook in the place of its settings.

    Parameters
    ----------
    notebook : str
        Such as "30-relpron": the table ``[parameters.30-relpron]`` says what its parameters may be.
    profile : str
    path : path, optional
        Of another file than ``data/profiles.toml``.
    **parameters
        Each parameter of the table with its value. None leaves the settings that it would replace as they are.

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
    settings, rules = load_profile(profile, path), _read(path)["parameters"].get(notebook, {})
    if parameters.keys() != rules.keys():
        raise TypeError(
            f"[parameters.{notebook}] of data/profiles.toml has {', '.join(rules) or 'nothing'}; "
            f"given are {', '.join(parameters) or 'none'}"
        )
    replaced = {}
    for name, value in parameters.items():
        rule = rules[name]
        paths = [rule["replaces"]] if isinstance(rule.get("replaces"), str) else rule.get("replaces", [])
        if value is None and (paths or rule.get("optional")):
            continue
        if profile == "sample" and not rule.get("sample", True):
            raise ParameterError(
                f"{name}={value!r}: the sample profile has counts of the whole corpus that were made beforehand; "
                f"leave {name} out, or give profile=full as well"
            )
        _check(name, value, rule, settings[paths[0]] if paths else None)
        replaced |= dict.fromkeys(paths, value)
    return settings.replace(replaced)


def _check(name: str, value: object, rule: Mapping, like: object) -> None:
    """Refuse a value that is none of the rule's choices, not of its kind (or that of `like`), or out of its bounds."""
    kind = rule.get("kind") or {bool: "truth", int: "whole", float: "number", str: "text"}.get(type(like))
    bounds = {"least": rule.get("least", 0), "most": rule.get("most")}
    if "choices" in rule or kind == "truth":
        expect_one_of(name, value, rule.get("choices", (True, False)))
    elif kind == "text":
        if not isinstance(value, str):
            raise ParameterError(f"{name}={value!r}: text is needed, such as {like!r}")
    elif kind == "numbers":
        if not isinstance(value, list | tuple) or not value:
            raise ParameterError(f"{name}={value!r}: a list of numbers is needed, such as [0.1,1,10]")
        for number in value:
            expect_number(name, number, **bounds)
    else:
        expect_number(name, value, whole=kind == "whole", **bounds)
