"""Plants one slip of wording at a time in a small repository and sees that check-words notices it, that a sound tree passes, and
that the baseline only goes down."""
import importlib.util
import os
import subprocess
import sys
import tempfile
from importlib.machinery import SourceFileLoader
from pathlib import Path

sys.dont_write_bytecode = True
PATH = Path(__file__).resolve().parents[2] / "scripts/check-words"
loader = SourceFileLoader("check_words", str(PATH))
words = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_words", loader))
loader.exec_module(words)

SOUND = {
    "lib/Sound.h": "/// Returns the size, or nullopt if it is not known. There is no size of zero.\n/// What follows is not a first line.\nint f();\n",
    "lib/Sound.cpp": 'auto x = "there is no function \'f\'"; // the graph is no longer open\nchar c = \'"\';\n',
    "runtime/sound.c": "/* Frees what the caller owns. */\nvoid f(void) {}\n",
    "scripts/sound.py": '"""Writes a page."""\nprint("done")\n',
    "docs/sound.md": "# Sound\n\n```\nthis block is none of the prose, alone.\n```\n\nOnly prose counts.\n",
}
SLIPS = {
    ("lib/A.h", "/// Of a tensor its size.\nint f();\n"): "doc-start",
    ("lib/B.h", "int g();\n\n/// Whether it fits.\nint f();\n"): "doc-start",
    ("lib/C.h", "/// Nullopt where there is none.\nint f();\n"): "doc-start",
    ("runtime/d.c", "/* What a thread does. */\nvoid f(void) {}\n"): "doc-start",
    ("runtime/e.c", "/* As the pool has it. */\nvoid f(void) {}\n"): "doc-start",
    ("scripts/f.py", '"""Where things are."""\n'): "doc-start",
    ("lib/G.cpp", 'auto x = "axis 2 is none of a tensor";\n'): "is-none",
    ("lib/H.cpp", 'auto x = "x-y is no C identifier";\n'): "is-no",
    ("lib/I.cpp", 'auto x = "the weights "\n         "are no " "constants";\n'): "is-no",
    ("lib/J.cpp", 'auto x = "by mode nearest alone";\n'): "alone",
    ("docs/k.md", "Code for GPUs alone.\n"): "alone",
    ("lib/L.cpp", 'auto x = "expected what there is one of";\n'): "one-of",
    ("lib/M.cpp", "int x; // the caller is told\n"): "told",
    ("lib/N.cpp", 'auto x = "a thread for each 4 neighbours";\n'): "neighbours",
    ("lib/O.cpp", 'auto x = "expected a name behind its operands";\n'): "behind",
    ("lib/P.cpp", 'auto x = "stands in the condition";\n'): "stands",
    ("scripts/q.py", 'print("PyPI has it not")\n'): "has-not",
}


def tree(folder, files):
    for path, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
        Path(folder, path).write_text(text)
    subprocess.run(["git", "init", "-q", folder], check=True)


def faults(files, baseline=None):
    with tempfile.TemporaryDirectory() as folder:
        tree(folder, files if baseline is None else {**files, words.BASELINE: baseline})
        return words.check(folder)


def updated(files, baseline):
    with tempfile.TemporaryDirectory() as folder:
        tree(folder, {**files, words.BASELINE: baseline})
        done = subprocess.run([sys.executable, PATH, "--root", folder, "--update"], capture_output=True, text=True)
        return done.returncode, words.read_baseline(folder)


assert not faults(SOUND), faults(SOUND)
for (path, text), kind in SLIPS.items():
    found = faults({**SOUND, path: text})
    assert len(found) == 2 and f" slips of kind {kind}," in found[0] and found[1].startswith(f"  {path}:"), f"{path}: {found}"
assert {kind for kind in SLIPS.values()} == set(words.RULES), "a kind has no planted slip"

one, two = "/// Of a size.\nint f();\n", "/// Of a size.\nint f();\n\n/// What it is.\nint g();\n"
assert not faults({"lib/A.h": one}, "lib doc-start 1\n")
assert faults({"lib/A.h": two}, "lib doc-start 1\n")
assert faults({"passes/A.h": one}, "lib doc-start 1\n"), "a folder has its own numbers"
assert updated({"lib/A.h": one}, "lib doc-start 3\n") == (0, {("lib", "doc-start"): 1}), "an update lowers"
assert updated({"lib/A.h": two}, "lib doc-start 1\n") == (1, {("lib", "doc-start"): 1}), "an update never raises"
print(f"words-notices: {len(SLIPS)} planted slips found")
