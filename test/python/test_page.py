"""Runs the Python code of pages, one block after the other. Blocks that import a package that is not installed are skipped."""
import contextlib
import importlib.util
import io
import os
import pathlib
import re
import runpy
import tempfile
import unittest

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"


def is_runnable(code):
    """True if all packages that a block imports are installed; PyTorch and others are too large to fetch for this."""
    names = [name.strip() for line in re.findall(r"^import (.*)$", code, re.M) for name in line.split(",")]
    return all(importlib.util.find_spec(re.split(r"[. ]", name)[0]) for name in names)


class Page(unittest.TestCase):
    def run_blocks(self, page, least):
        names, ran, folder = {}, 0, os.getcwd()
        with tempfile.TemporaryDirectory() as own:
            os.chdir(own)
            try:
                for code in re.findall(r"^```python\n(.*?)^```$", (DOCS / page).read_text(), re.M | re.S):
                    if is_runnable(code):
                        with self.subTest(code):
                            exec(compile(code, page, "exec"), names)
                        ran += 1
            finally:
                os.chdir(folder)
        self.assertGreaterEqual(ran, least)

    def test_python(self):
        self.run_blocks("python.md", 5)

    def test_first_page(self):
        packages = ["torch", "jax", "onnx", "skl2onnx"]
        self.run_blocks("index.md", sum(bool(importlib.util.find_spec(name)) for name in packages))


class Notebooks(unittest.TestCase):
    def test_cells(self):
        folder = DOCS.parent / "examples/notebooks"
        self.assertEqual([path.name for path in sorted(folder.glob("*.py"))], ["forest.py", "rings.py", "spirals.py"])
        for name, packages in [("rings.py", ["torch", "onnxscript"]), ("forest.py", ["sklearn", "skl2onnx"]),
                               ("spirals.py", ["jax"])]:
            if all(importlib.util.find_spec(package) for package in packages):
                with self.subTest(name), contextlib.redirect_stdout(io.StringIO()):
                    runpy.run_path(str(folder / name))


if __name__ == "__main__":
    unittest.main()
