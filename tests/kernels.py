"""nbval's kernels, each on sockets of its own: importing this module, or ``-p tests.kernels``, is enough."""

import functools
import tempfile
import uuid

import nbval.kernel
from jupyter_client.manager import KernelManager

from book._ext.notebooks import sockets

FOLDER = tempfile.TemporaryDirectory(prefix="cdsm.")


@functools.wraps(KernelManager)
def on_its_own_sockets(**options) -> KernelManager:
    """A kernel's manager whose kernel meets no other that starts at once."""
    return KernelManager(config=sockets(f"{FOLDER.name}/{uuid.uuid4().hex[:8]}"), **options)


nbval.kernel.KernelManager = on_its_own_sockets
