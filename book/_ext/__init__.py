"""What builds the book out of notebooks, prose and library: nothing of it is imported by the library."""

import sys

sys.modules.setdefault("rfc3987_syntax", None)  # else jsonschema, which nbformat imports, builds its grammars: 2 s
