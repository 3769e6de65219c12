"""Makes async_client.py of client.py; with --check only says whether it is in step."""

import re
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "src" / "jackfield"

HEAD = '''"""The client for asyncio: each call waits in a thread, so that nothing but Python is needed.

Made from client.py by tools/make_async.py; change that file.
"""
'''

HELPERS = [
    "_RETRIES",
    "_FIRST_WAIT",
    "_LONGEST_PAUSE",
    "_back_off",
    "_given",
    "_is_passing",
    "_metadata_body",
    "_name_of",
    "_place",
    "_sync_body",
    "_target",
    "_to_error",
    "_wait_of",
    "body_is_text",
    "is_own_failure",
]


def make(source: str) -> str:
    start, rest = source.split("class Jackfield:", 1)
    body = rest.split("\n\n\ndef ", 1)[0]
    imports = start.split('"""\n', 1)[1].split("\n_RETRIES", 1)[0]
    imports = imports.replace("import json\nimport random\n", "import asyncio\nimport json\n")
    imports = imports.replace("Iterator,", "AsyncIterator,").replace(
        "from typing import Any, Dict, AsyncIterator,", "from typing import Any, AsyncIterator, Dict,"
    )
    used = [name for name in HELPERS if re.search(rf"\b{name}\b", body)]
    names = "".join(f"    {name},\n" for name in used)
    imports = imports.rstrip().replace(
        "from .errors", f"from .client import (\n{names})\nfrom .errors", 1
    )
    body = re.sub(r"    def (?!__init__)(\w+)\((?!  # stays)", r"    async def \1(", body)
    body = body.replace("def verify_webhook(  # stays synchronous", "def verify_webhook(")
    body = re.sub(r"(?<!await )\bself\.(?!_transport\b)([a-z_]\w*)\(", r"await self.\1(", body)
    body = body.replace(
        "self._transport.send(request)", "await asyncio.to_thread(self._transport.send, request)"
    )
    body = body.replace("time.sleep(", "await asyncio.sleep(").replace("Iterator[", "AsyncIterator[")
    body = body.replace(
        "A client with the key", "A client for asyncio with the key"
    )
    return f"{HEAD}{imports}\n\n\nclass AsyncJackfield:{body.rstrip()}\n"


def main() -> int:
    made = make((FOLDER / "client.py").read_text())
    path = FOLDER / "async_client.py"
    if "--check" not in sys.argv:
        path.write_text(made)
        return 0
    if path.exists() and path.read_text() == made:
        return 0
    print("async_client.py is not in step with client.py: run tools/make_async.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
