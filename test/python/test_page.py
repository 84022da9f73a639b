"""Runs the code of docs/python.md, one block after the other. Blocks that import PyTorch are skipped where it is not installed."""
import importlib.util
import pathlib
import re
import unittest

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/python.md"


class Page(unittest.TestCase):
    def test_blocks(self):
        names, ran = {}, 0
        for code in re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.M | re.S):
            if "import torch" in code and not importlib.util.find_spec("torch"):
                continue  # PyTorch is too large to fetch for this
            with self.subTest(code.splitlines()[0]):
                exec(compile(code, str(PAGE), "exec"), names)
            ran += 1
        self.assertGreaterEqual(ran, 5)


if __name__ == "__main__":
    unittest.main()
