"""Sources, options, state, and what a module writes."""
import contextlib
import copy
import ctypes
import gc
import io
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import numpy as np
import onnx_models

import lathe
import lathe.config

COUNTER = """
lathe.variable @count : tensor<f32> init #lathe.zeros
lathe.variable @w : tensor<2x2xf32> init #lathe.zeros
func.func @step(%by: tensor<f32>) -> tensor<f32> {
  %old = lathe.read @count : tensor<f32>
  %w = lathe.read @w : tensor<2x2xf32>
  %new = lathe.add %old, %by : tensor<f32>
  lathe.write @count, %new : tensor<f32>
  %sum = lathe.reduce sum %w dims [0, 1] : tensor<2x2xf32>
  %y = lathe.add %new, %sum : tensor<f32>
  return %y : tensor<f32>
}
"""
DOUBLE = """func.func @double(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<?xf32> {lathe.name = "y"}) {
  %y = lathe.add %x, %x : tensor<?xf32>, tensor<?xf32>
  return %y : tensor<?xf32>
}
"""


class Config(unittest.TestCase):
    def told(self, *arguments):
        with contextlib.redirect_stdout(io.StringIO()) as output, contextlib.redirect_stderr(output), \
                unittest.mock.patch("sys.argv", ["config", *arguments]):
            lathe.config.main()
        return output.getvalue().split()

    def test_flags(self):
        """A program that is linked with what the package has, without CMake."""
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch("lathe.config._HERE", pathlib.Path(folder)):
            with self.assertRaisesRegex(FileNotFoundError, "install the package"):
                self.told("--libs")
            library = pathlib.Path(folder, "lib", "machine", "liblathe_runtime.a")
            library.parent.mkdir(parents=True)
            library.touch()
            self.assertEqual(self.told("--libs", "--cflags"), [f"-I{folder}/include", str(library), "-pthread", "-ldl", "-lm"])
        self.assertEqual(self.told("--lathec"), [lathe.config.tool("lathec")])
        with self.assertRaises(SystemExit):
            self.told()


class Commands(unittest.TestCase):
    def test_arguments_and_status(self):
        def run(name, *arguments):
            code = f"import sys; from lathe._tools import {name}; sys.argv[1:] = {list(arguments)!r}; {name}()"
            return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

        self.assertIn("x86-64-v3", run("lathec", "--print-targets").stdout)
        self.assertEqual(run("lathec", "--no-such-option").returncode, 2)
        self.assertIn("--check", run("lathe_run", "--help").stdout)


class Sources(unittest.TestCase):
    def test_paths(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "double.mlir")
            path.write_text(DOUBLE)
            for source in (path, str(path), DOUBLE.encode()):
                self.assertEqual(lathe.compile(source)([1, 2]).tolist(), [2, 4])
        for source in ("no-such-file.mlir", "no-such-file.onnx", pathlib.Path("no-such-file")):
            with self.assertRaisesRegex(FileNotFoundError, "no-such-file"):
                lathe.compile(source)

    def test_models(self):
        self.assertEqual(lathe.compile(onnx_models.linear())([[1, 1], [0, 1]]).tolist(), [[5], [3]])

        class Proto:
            def SerializeToString(self):
                return onnx_models.linear()

        self.assertEqual(lathe.compile(Proto())([[1, 1]]).tolist(), [[5]])

    def test_gradients(self):
        energy = """func.func @energy(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}, %k: tensor<f32>) -> (tensor<f32> {lathe.name = "e"}) {
  %square = lathe.mul %x, %x : tensor<?xf32>, tensor<?xf32>
  %sum = lathe.reduce sum %square dims [0] : tensor<?xf32>
  %e = lathe.mul %sum, %k : tensor<f32>, tensor<f32>
  return %e : tensor<f32>
}
"""
        module = lathe.compile(energy, grad="energy")
        value, by_x, by_k = module.energy_grad([1, 2], 3)
        self.assertEqual((float(value), by_x.tolist(), float(by_k)), (15, [6, 12], 5))
        only = lathe.compile(energy, grad=["energy:wrt=k"], entries=["energy_grad"])
        self.assertEqual([name for name, _ in only.energy_grad.results], ["e", "gradient_k"])
        with self.assertRaisesRegex(lathe.CompileError, "'q' is not an input of @energy"):
            lathe.compile(energy, grad="energy:wrt=q")

    def test_other_objects(self):
        with self.assertRaisesRegex(TypeError, "cannot compile an object of type int; expected the path"):
            lathe.compile(3)

    def test_diagnostics(self):
        with self.assertRaises(lathe.CompileError) as caught:
            lathe.compile("func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %y = lathe.relu %x : tensor<2xf32>\n"
                          "  %z = lathe.matmul %x, %x : tensor<2xf32>, tensor<2xf32>\n  return %y : tensor<2xf32>\n}")
        first, second = caught.exception.diagnostics
        self.assertEqual((first.file, first.line, first.column, first.severity), ("graph.mlir", 2, 8, "error"))
        self.assertIn("did you mean 'lathe.std.relu'", first.message)
        self.assertEqual(second.line, 3)


class Options(unittest.TestCase):
    def test_dims_and_versions(self):
        self.assertEqual(lathe.compile(DOUBLE, dims={"N": 3}).double.inputs, [("x", "f32[3]")])
        self.assertEqual(lathe.compile(DOUBLE, dims={"N": "2*k"}).double.dims, ["k"])
        self.assertIn("N=4", lathe.compile(DOUBLE, specialize={"N": [4]}).explain())
        with self.assertRaisesRegex(lathe.CompileError, "no dimension 'Q'; there are N"):
            lathe.compile(DOUBLE, dims={"Q": 3})

    def test_constants(self):
        module = lathe.compile(onnx_models.reshape(), constants={"s": np.array([2, 2])})
        self.assertEqual(module([1, 2, 3, 4]).tolist(), [[1, 2], [3, 4]])
        self.assertEqual(lathe.compile(onnx_models.reshape(), constants={"s": [2, 2]})([1, 2, 3, 4]).tolist(), [[1, 2], [3, 4]])
        with self.assertRaisesRegex(lathe.CompileError, "depend"):
            lathe.compile(onnx_models.reshape())

    def test_constants_as_numbers(self):
        """They get the element type of their inputs, in the interpreter, too."""
        graph = """func.func @f(%x: tensor<2xf32>, %by: tensor<f32>, %plus: tensor<2xf32>, %count: tensor<i8>) -> (tensor<2xf32>, tensor<i8>) {
  %y = lathe.mul %x, %by : tensor<2xf32>, tensor<f32>
  %z = lathe.add %y, %plus : tensor<2xf32>, tensor<2xf32>
  return %z, %count : tensor<2xf32>, tensor<i8>
}"""
        module = lathe.compile(graph, constants={"by": 2, "plus": [0.5, 1], "count": 3})
        self.assertEqual(module.f.inputs, [("x", "f32[2]")])
        for call in (module, module.interpret):
            y, count = call([1, 2])
            self.assertEqual((y.tolist(), int(count), count.dtype), ([2.5, 5], 3, np.int8))
        with self.assertRaisesRegex(TypeError, "input 'count' cannot become an array of int8"):
            lathe.compile(graph, constants={"by": 2, "plus": [0.5, 1], "count": 1.5})
        with self.assertRaisesRegex(lathe.CompileError, "has elements of i64, expected f32"):  # an array keeps its type
            lathe.compile(graph, constants={"by": np.array(2)})

    def test_trainable_initializers(self):
        module = lathe.compile(onnx_models.linear(), state="*")
        self.assertEqual(module.state["w"].tolist(), [[2], [3]])
        module.state["w"] = 1
        self.assertEqual(module([[1, 1]]).tolist(), [[2]])

    def test_check(self):
        module = lathe.compile("func.func @f(%x: tensor<f32>) -> tensor<f32> {\n  %y = lathe.log %x : tensor<f32>\n  return %y : tensor<f32>\n}",
                               check="finite")
        with self.assertRaises(lathe.RunError) as caught:
            module(-1)
        self.assertEqual((caught.exception.status, caught.exception.line), ("LATHE_ERROR_NOT_FINITE", 2))

    def test_wrong_options(self):
        for message, options in [("math is 'slow', expected 'strict' or 'fast'", {"math": "slow"}),
                                 ("check is 'all', expected None or 'finite' or 'bounds'", {"check": "all"}),
                                 ("optimize is 7, expected 0 or 1 or 2 or 3", {"optimize": 7})]:
            with self.subTest(message), self.assertRaisesRegex(lathe.CompileError, message):
                lathe.compile(DOUBLE, **options)
        self.assertEqual(lathe.compile(DOUBLE, check="finite,bounds")([1]).tolist(), [2])


class State(unittest.TestCase):
    def test_views(self):
        module = lathe.compile(COUNTER)
        self.assertEqual(list(module.state), ["count", "w"])
        self.assertEqual((float(module(2)), float(module(3))), (2.0, 5.0))
        count = module.state["count"]
        self.assertEqual(float(count), 5)
        count[...] = 10
        module.state["w"] = np.ones((2, 2))
        self.assertEqual(float(module(1)), 15)
        self.assertEqual(float(count), 11)
        with self.assertRaises(KeyError):
            module.state["none"]
        del module
        gc.collect()
        self.assertEqual(float(count), 11)

    def test_updates(self):
        module = lathe.compile(COUNTER)
        module.state.update({"count": 1, "w": [[1, 2], [3, 4]]})
        module.state.update([("count", 3)], w=1)
        self.assertEqual((float(module.state["count"]), module.state["w"].tolist()), (3, [[1, 1], [1, 1]]))
        for error, values in [(KeyError, {"count": 5, "none": 1}), (ValueError, {"count": 5, "w": [1, 2, 3]}), (ValueError, {"count": [5, 6]})]:
            with self.subTest(values), self.assertRaises(error):
                module.state.update(values)
            self.assertEqual(float(module.state["count"]), 3)
        module.state.update(module.state)

    def test_copies(self):
        module = lathe.compile(COUNTER)
        module(4)
        for copied in (module.state.copy(), copy.copy(module.state), copy.deepcopy(module.state), pickle.loads(pickle.dumps(module.state))):
            self.assertIs(type(copied), dict)
            self.assertEqual((list(copied), float(copied["count"])), (["count", "w"], 4))
            copied["count"] += 1
        self.assertEqual(float(module.state["count"]), 4)
        for action in (copy.copy, copy.deepcopy, pickle.dumps):
            with self.subTest(action), self.assertRaisesRegex(TypeError, "a module cannot be copied or pickled"):
                action(module)
            with self.subTest(action), self.assertRaisesRegex(TypeError, "cannot pickle 'Entry' object"):
                action(module.step)
        with self.assertRaisesRegex(TypeError, "variable 'w' cannot be deleted"):
            del module.state["w"]

    def test_entries_keep_the_program(self):
        step = lathe.compile(COUNTER).step
        gc.collect()
        self.assertEqual(float(step(1)), 1)

    def test_files(self):
        module = lathe.compile(COUNTER)
        module(4)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "state.safetensors")
            module.state.save(file)
            module(4)
            self.assertEqual(module.state.load(file), ([], []))
            self.assertEqual(float(module.state["count"]), 4)
            other = lathe.compile(COUNTER.replace("@w", "@v"))
            with self.assertRaises(lathe.RunError):
                other.state.load(file)
            self.assertEqual(other.state.load(file, partial=True), (["v"], ["w"]))
            self.assertEqual(float(other.state["count"]), 4)
            with self.assertRaises(lathe.RunError):
                module.state.save(pathlib.Path(folder, "none", "state"))


class Written(unittest.TestCase):
    def test_shared_library(self):
        module = lathe.compile(DOUBLE)
        with tempfile.TemporaryDirectory() as folder:
            made = module.write(pathlib.Path(folder, "new", "twice"))
            self.assertEqual([path.name for path in made], ["twice.o", "twice.h", "twice.hpp", "twice.so"])
            self.assertIn("twice_double(", made[1].read_text())
            self.assertIn("class Module", made[2].read_text())
            self.assertTrue(hasattr(ctypes.CDLL(str(made[3])), "twice_double"))

    def test_how_to_link(self):
        """The command, with the runtime of the build folder, makes a program that runs."""
        module = lathe.compile(DOUBLE, dims={"N": 2})
        with tempfile.TemporaryDirectory() as folder:
            made = module.write(pathlib.Path(folder, "twice"))
            self.assertIn("wrote " + str(made[0]), repr(made))
            self.assertTrue(repr(made).endswith("main.c includes twice.h: " + made.command))
            pathlib.Path(folder, "main.c").write_text("""#include "twice.h"
#include <stdio.h>
int main(void) {
  float x[2] = {1, 2}, y[2];
  twice_double_args args = {.x = x, .y = y};
  if (twice_double(&args))
    return 1;
  printf("%g %g", y[0], y[1]);
}
""")
            python = pathlib.Path(folder, "python")  # what the command runs
            python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
            python.chmod(0o755)
            command = made.command
            if not list(lathe.config._HERE.glob("lib*/**/liblathe_runtime.a")):  # not installed: this entry needs none
                command = command.replace("--cflags --libs", "--cflags")
            subprocess.run(["sh", "-c", command], check=True, cwd=folder, env={**os.environ, "PATH": folder + ":" + os.environ["PATH"]})
            self.assertEqual(subprocess.run([folder + "/main"], capture_output=True, text=True, check=True).stdout, "2 4")

    def test_texts(self):
        module = lathe.compile(DOUBLE)
        self.assertIn("lathe.kernel", module.text("fusion"))
        self.assertIn("lathe.add", module.text("import"))
        self.assertIn("double(x: f32[N]) -> (y: f32[N])", repr(module))

    def test_gradcheck(self):
        loss = "func.func @loss(%x: tensor<3xf32>) -> tensor<f32> {\n  %e = lathe.exp %x : tensor<3xf32>\n" \
               "  %s = lathe.reduce sum %e dims [0] : tensor<3xf32>\n  return %s : tensor<f32>\n}"
        self.assertIn("x", lathe.compile(loss).gradcheck())

    def test_gradcheck_at_given_inputs(self):
        """sqrt has derivatives for positive numbers only, and the sum takes one row of a table by its number."""
        rows = """func.func @f(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}, %row: tensor<?xi64> {lathe.dims = #lathe.dims<N>}, %w: tensor<3xf32>)
    -> tensor<f32> {
  %root = lathe.sqrt %x : tensor<?xf32>
  %picked = lathe.gather %w, %row axis 0 : tensor<3xf32>, tensor<?xi64>
  %y = lathe.mul %root, %picked : tensor<?xf32>, tensor<?xf32>
  %s = lathe.reduce sum %y dims [0] : tensor<?xf32>
  return %s : tensor<f32>
}"""
        module = lathe.compile(rows)
        x, row, w = np.array([0.5, 2], np.float32), [2, 1], np.array([1, 2, 3], np.float32)
        for inputs in [(x, row, w), (x, row), {"row": row, "x": x}]:
            with self.subTest(inputs):
                self.assertIn("agree", module.gradcheck(inputs=inputs))
        self.assertIn("agree", module.gradcheck(inputs=x, dims={"N": 2}))
        with self.assertRaisesRegex(lathe.CompileError, "not finite"):
            module.gradcheck(inputs={"x": -x, "row": row})
        for error, inputs in [(TypeError, {"z": 1}), (TypeError, (x, row, w, w)), (TypeError, (x, [1.5, 1])), (lathe.CompileError, (x, [1, 2, 3]))]:
            with self.subTest(inputs), self.assertRaises(error):
                module.gradcheck("f", inputs=inputs)


class Config(unittest.TestCase):
    def test_version(self):
        shown = subprocess.run([lathe.config.tool("lathec"), "--version"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(shown.split(), ["lathec", lathe.__version__])

    def test_lathec(self):
        shown = subprocess.run([sys.executable, "-m", "lathe.config", "--lathec"], capture_output=True, text=True, check=True).stdout
        self.assertIn("lathec", subprocess.run([shown.strip(), "--help"], capture_output=True, text=True, check=True).stdout)


if __name__ == "__main__":
    unittest.main()
