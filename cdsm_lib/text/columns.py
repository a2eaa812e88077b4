"""Columns that are read slice by slice where they lie: on this machine, or behind any address that fsspec knows.

A mapped file counts as a process's memory once it has been read, and a file on a server cannot be mapped.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Column:
    """An array of one dimension in a ``.npy`` file.

    Attributes
    ----------
    address : str
        A path, or an address of fsspec (extra ``scale``).
    dtype : numpy.dtype
    length : int
    begins : int
        The byte of the file where the numbers begin.
    """

    address: str
    dtype: np.dtype
    length: int
    begins: int

    @classmethod
    def of(cls, address: str) -> "Column":
        """The column of a file; a `ValueError` if that holds none, an `OSError` if it cannot be read."""
        from fsspec import open

        with open(address, "rb") as file:
            np.lib.format.read_magic(file)
            (length,), _, dtype = np.lib.format.read_array_header_1_0(file)
            return cls(address, dtype, length, file.tell())

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, part: slice) -> np.ndarray:
        """The numbers of a slice without a step: `OSError` if the file ends before."""
        start, stop, _ = part.indices(self.length)
        low, high = (self.begins + self.dtype.itemsize * i for i in (start, max(start, stop)))
        some = np.frombuffer(content(self.address, low, high), dtype=self.dtype)
        if len(some) != max(0, stop - start):
            raise OSError(f"{self.address}: cut short; copy it again")
        return some

    def first(self, length: int) -> "Column":
        """Its beginning."""
        return replace(self, length=length)

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        """All of it."""
        return np.array(self[:], dtype=dtype)


def content(address: str, start: int | None = None, stop: int | None = None) -> bytes:
    """Some bytes of a file behind an address of fsspec, or all."""
    from fsspec.core import url_to_fs

    files, path = url_to_fs(address)
    return files.cat_file(path, start=start, end=stop)


def download(address: str, path: Path) -> None:
    """Copy the file behind an address of fsspec."""
    from fsspec.core import url_to_fs

    files, there = url_to_fs(address)
    files.get_file(there, str(path))
