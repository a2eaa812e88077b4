"""nbval's kernels, each on sockets of its own: importing this module, or ``-p tests.kernels``, is enough."""

import itertools
import tempfile

import nbval.kernel
from jupyter_client.manager import KernelManager

from book._ext.notebooks import sockets

FOLDER, NUMBERS = tempfile.TemporaryDirectory(prefix="cdsm."), itertools.count()


def on_its_own_sockets(**options) -> KernelManager:
    """A kernel's manager whose kernel meets no other that starts at once."""
    return KernelManager(config=sockets(f"{FOLDER.name}/{next(NUMBERS)}"), **options)


nbval.kernel.KernelManager = on_its_own_sockets
