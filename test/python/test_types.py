"""The package's types: stubs agree with the extension, everything public is annotated and described, and mypy understands calls."""
import ast
import dataclasses
import importlib.util
import inspect
import pathlib
import subprocess
import sys
import tempfile
import unittest

import lathe
from lathe import _core, config, errors, optim

PACKAGE = pathlib.Path(lathe.__file__).parent

USES = """
import numpy
import lathe
module = lathe.compile("model.onnx", dims={"N": 4}, specialize={"N": [1, 8]})
y: int = module.threads
module.write("x")[0].suffix
module.profile(numpy.zeros(3), seconds=1).kernels[0].seconds + 1.0
module.state["w"].shape
lathe.optim.adamw(1e-3, beta1=0.9)
"""
MISTAKES = """
import lathe
module = lathe.compile("model.onnx", dims=["N"])
module.threads = "two"
lathe.optim.adamw(momentum=0.9)
lathe.compile(b"", optimise=3)
module.state.save(3)
"""


def stub_members(name):
    """Returns the names of a class in _core.pyi, with the parameters of functions."""
    stub = ast.parse((PACKAGE / "_core.pyi").read_text())
    found = next(node for node in stub.body if isinstance(node, ast.ClassDef) and node.name == name)
    return {node.name if isinstance(node, ast.FunctionDef) else node.target.id: node for node in found.body
            if isinstance(node, (ast.FunctionDef, ast.AnnAssign))}


class Types(unittest.TestCase):
    def test_marker(self):
        self.assertTrue((PACKAGE / "py.typed").exists())

    def test_stubs_of_the_extension(self):
        stub = ast.parse((PACKAGE / "_core.pyi").read_text())
        classes = {node.name for node in stub.body if isinstance(node, ast.ClassDef)}
        self.assertEqual(classes, {name for name, value in vars(_core).items() if isinstance(value, type)})
        for name in classes:
            own = {member for member in vars(getattr(_core, name)) if not member.startswith("_")}
            stubbed = {member for member in stub_members(name) if not member.startswith("_")}
            self.assertEqual(own, stubbed, name)

    def test_everything_public_is_annotated_and_described(self):
        def functions():
            for owner in (lathe, optim, config, errors, lathe.Module, lathe.State, lathe.Profile):
                for name, value in vars(owner).items():
                    if inspect.isfunction(value) and not name.startswith("_") and value.__module__.startswith("lathe"):
                        yield f"{getattr(owner, '__name__', owner)}.{name}", value

        seen = list(functions())
        self.assertGreater(len(seen), 15)
        for name, function in seen:
            with self.subTest(name):
                self.assertTrue(function.__doc__ or name.endswith("config.main"))
                parameters = [p for p in inspect.signature(function).parameters.values() if p.name != "self"]
                self.assertEqual([p.name for p in parameters if p.annotation is p.empty], [])
                self.assertIsNot(inspect.signature(function).return_annotation, inspect.Signature.empty)

    def test_error_fields(self):
        self.assertEqual({field.name for field in dataclasses.fields(lathe.Diagnostic)}, {"file", "line", "column", "severity", "message"})

    @unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed")
    def test_checker(self):
        def checked(text):
            with tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder, "uses.py")
                file.write_text(text)
                done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", folder, str(file)],
                                      capture_output=True, text=True, env={"PYTHONPATH": str(PACKAGE.parent), "MYPYPATH": str(PACKAGE.parent)})
                return [line for line in done.stdout.splitlines() if "uses.py" in line]

        self.assertEqual(checked(USES), [])
        lines = [int(line.split(":")[1]) for line in checked(MISTAKES) if ": error:" in line]
        self.assertEqual(sorted(set(lines)), [3, 4, 5, 6, 7])

    @unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed")
    def test_package(self):
        done = subprocess.run([sys.executable, "-m", "mypy", "--ignore-missing-imports", "-p", "lathe"], capture_output=True, text=True,
                              cwd=tempfile.gettempdir(), env={"PYTHONPATH": str(PACKAGE.parent), "MYPYPATH": str(PACKAGE.parent)})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
