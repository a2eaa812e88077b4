"""A tiny project in the place of ours, for all that fetches, keeps and hands on: registered sets, a mirror, a cache."""

import contextlib
import gzip
import hashlib
import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from cdsm_lib import datasets

TEXT, LONG, SECRET = b"plain text\n" * 5000, b"packed text\n" * 5000, b"not to be passed on\n"
ABOUT = ("title", "licence", "bib", "citation", "obtain")


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def file(name: str, content: bytes, **others) -> dict:
    """A file of the registry; `packed` is its compressed form in the mirror."""
    if packed := others.pop("packed", None):
        others |= {"stored_sha256": sha(packed), "stored_size": len(packed)}
    return {"name": name, "sha256": sha(content), "size": len(content), "format": "text", **others}


def registered(**sets: list[dict]) -> str:
    """A registry: files by set; those of the set ``closed`` may not be passed on. JSON's values are TOML's."""
    lines = ['deposit = ""']
    for name, files in sets.items():
        about = {key: f"{key} of {name}" for key in ABOUT} | {"pages": [f"https://example.org/{name}"]}
        about["redistributable"] = name != "closed"
        for table, values in ((f"[{name}]", about), *((f"[[{name}.files]]", each) for each in files)):
            lines += [table, *(f"{key} = {json.dumps(value)}" for key, value in values.items())]
    return "\n".join(lines) + "\n"


class Project:
    """A folder with ``data``, a ``mirror`` of three small files, and no ``cache`` yet; `patch` puts it in our place."""

    def __init__(self, root: Path, patch: pytest.MonkeyPatch):
        self.root, self.mirror, self.cache, self.patch = root, root / "mirror", root / "cache", patch
        self.packed = gzip.compress(LONG, mtime=0)
        places = {"mirror/open/a.txt": TEXT, "mirror/open/b.txt.gz": self.packed, "mirror/closed/c.txt": SECRET}
        for place, content in places.items() | {("LICENSE", b"CC BY-SA 3.0"), ("data/models/README.md", b"none")}:
            (root / place).parent.mkdir(parents=True, exist_ok=True)
            (root / place).write_bytes(content)
        stored = file("b.txt", LONG, stored="open/b.txt.gz", packed=self.packed)
        closed = [file("c.txt", SECRET, stored="closed/c.txt")]
        self.register(open=[file("a.txt", TEXT, stored="open/a.txt"), stored], closed=closed)
        self.use()

    def register(self, **sets: list[dict]) -> None:
        """Write another registry, before it is read."""
        (self.root / "data" / "registry.toml").write_text(registered(**sets))

    def use(self) -> None:
        self.patch.setattr(datasets, "data_root", lambda: self.root / "data")
        self.patch.setenv("CDSM_DATA_MIRROR", str(self.mirror))
        self.patch.setenv("CDSM_DATA_CACHE", str(self.cache))
        self.patch.delenv("CDSM_DATA_URL", raising=False)

    def in_cache(self) -> set[str]:
        """Names of the files in the cache, but for locks and the memory of checked files."""
        paths = (path for path in self.cache.rglob("*") if path.is_file() and path.suffix != ".lock")
        return {str(path.relative_to(self.cache)) for path in paths if ".checked" not in path.parts}


class Server:
    """Files of a folder on this machine, at an address that holds a password: all, halved, altered, or never ending."""

    def __init__(self, folder: Path, manner: str):
        self.asked, self.sent, server = [], 0, self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                server.asked.append(self.path)
                place = folder / self.path.lstrip("/")
                if not place.is_file():
                    return self.send_error(404)
                body = place.read_bytes()
                self.send_response(200)
                if manner != "endless":
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                with contextlib.suppress(OSError):  # the other side has had enough
                    while manner == "endless":
                        server.sent += self.wfile.write(bytes(100_000))
                    changed = {"truncated": body[: len(body) // 2], "altered": body[:-1] + b"!"}
                    self.wfile.write(changed.get(manner, body))

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://reader:secret@127.0.0.1:{self.http.server_address[1]}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()


@contextlib.contextmanager
def servers(patch: pytest.MonkeyPatch) -> Iterator:
    """serve(folder, manner="well") starts a server."""
    patch.setenv("no_proxy", "127.0.0.1")
    patch.setattr("pooch.core.time.sleep", lambda seconds: None)
    started = []

    def serve(folder: Path, manner: str = "well") -> Server:
        started.append(Server(folder, manner))
        return started[-1]

    yield serve
    for server in started:
        server.http.shutdown()
        server.http.server_close()
