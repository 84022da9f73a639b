"""Whatever is passed to a module becomes an exception: the process goes on, and the module works afterwards."""
import ctypes
import gc
import pathlib
import sys
import tempfile
import threading
import types
import unittest
import unittest.mock
import warnings

import numpy as np

import lathe
from lathe import _core

GRAPH = """
lathe.variable @w : tensor<3xf32> init #lathe.zeros
func.func @add(%x: tensor<?x3xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<?x3xf32> {lathe.name = "y"}) {
  %w = lathe.read @w : tensor<3xf32>
  %y = lathe.add %x, %w : tensor<?x3xf32>, tensor<3xf32>
  return %y : tensor<?x3xf32>
}
func.func @set(%x: tensor<3xf32>) -> (tensor<3xf32> {lathe.name = "y"}) {
  lathe.write @w, %x : tensor<3xf32>
  %y = lathe.add %x, %x : tensor<3xf32>
  return %y : tensor<3xf32>
}
func.func @count() -> tensor<?xi64> {
  %i = lathe.iota dim 0 to [K] : i64
  return %i : tensor<?xi64>
}
"""
MAGIC = (0x3145485441).to_bytes(8, "little")


class Lent:
    """An array that lends its memory as a tensor of another device: the fields of DLPack's struct are changed."""

    def __init__(self, array, device=2):
        self.array, self.device = array, device

    def __dlpack__(self, **options):
        capsule = self.array.__dlpack__()
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        ctypes.c_int32.from_address(get(capsule, b"dltensor") + 8).value = self.device  # after the data pointer
        return capsule

    def __dlpack_device__(self):
        return self.device, 0


class Broken:
    def __dlpack__(self, **options):
        raise RuntimeError("no memory to lend")

    def __dlpack_device__(self):
        return 1, 0


class BadInput(unittest.TestCase):
    def setUp(self):
        self.module = lathe.compile(GRAPH, threads=2)
        self.x = np.ones((2, 3), np.float32)

    def tearDown(self):
        self.assertEqual(self.module(self.x).tolist(), np.ones((2, 3)).tolist())

    def test_elements(self):
        for value in (self.x.astype(np.float64), self.x.astype(np.int32), self.x.astype(np.complex64), self.x.astype(np.float16),
                      np.array([["a", "b", "c"]]), np.array([[None, 1, 2]]), np.array([["2020-01-01"] * 3], "datetime64[D]"),
                      np.zeros(3, [("a", np.float32)]), object(), {1: 2}, {1, 2, 3}, b"abc", "abc", lambda: 1):
            with self.subTest(repr(value)), self.assertRaises(TypeError):
                self.module(value)

    def test_shapes(self):
        for shape in [(), (3,), (2, 2), (3, 2), (1, 2, 3), (0,), (2, 0)]:
            with self.subTest(shape), self.assertRaises(ValueError):
                self.module(np.zeros(shape, np.float32))
        for value in ([[1, 2], [3]], [1, 2, 3], [], [[[]]]):
            with self.subTest(repr(value)), self.assertRaises((TypeError, ValueError)):
                self.module(value)

    def test_foreign_bytes_are_converted(self):
        self.assertEqual(self.module(self.x.astype(">f4").tolist()).tolist(), self.x.tolist())

    def test_devices(self):
        with self.assertRaisesRegex(TypeError, "in the memory of a device"):
            self.module(Lent(self.x))
        with self.assertRaisesRegex(TypeError, "in the memory of a device"):
            self.module(self.x, out=Lent(np.zeros((2, 3), np.float32)))

    def test_broken_objects(self):
        with self.assertRaises((TypeError, RuntimeError)):
            self.module(Broken())

    def test_results(self):
        fits = np.zeros((2, 3), np.float32)
        read_only = fits.copy()
        read_only.flags.writeable = False
        for error, out in [(ValueError, read_only), (ValueError, fits[:, :2]), (ValueError, fits[:1]), (ValueError, np.zeros((2, 6), np.float32)[:, ::2]),
                           (TypeError, fits.astype(np.float64)), (TypeError, 3), (TypeError, "y"), (TypeError, {}), (ValueError, ()),
                           (ValueError, (fits, fits)), (TypeError, (None,)), (TypeError, [[1, 2, 3], [4, 5, 6]][0][0])]:
            with self.subTest(repr(out)), self.assertRaises(error):
                self.module(self.x, out=out)

    def test_results_that_overlap(self):
        for call in (lambda: self.module(self.x, out=self.x), lambda: self.module.set(self.x[0], out=self.module.state["w"])):
            with self.assertRaises(lathe.RunError) as caught:
                call()
            self.assertEqual(caught.exception.status, "LATHE_ERROR_OVERLAP")
        with self.assertRaisesRegex(lathe.RunError, "'x' is an array of module.state, whose variables the entry writes: pass a copy"):
            self.module.set(self.module.state["w"])
        with self.assertRaisesRegex(lathe.RunError, "'out' for 'y' is one of module.state"):
            self.module.set(self.x[0], out=self.module.state["w"])

    def test_sizes(self):
        for error, dims in [(ValueError, {"K": -1}), (ValueError, {"K": -2**63}), (TypeError, {"K": 2**64}), (TypeError, {"K": 1.5}),
                            (TypeError, {"K": None}), (TypeError, [3]), (TypeError, "K"), (ValueError, {"Q": 1}), (ValueError, {3: 1}),
                            (ValueError, {})]:
            with self.subTest(repr(dims)), self.assertRaises(error):
                self.module.count(dims=dims)
        with self.assertRaises((MemoryError, ValueError, lathe.RunError)):
            self.module.count(dims={"K": 2**62})
        with self.assertRaises(ValueError):
            self.module(self.x, dims={"N": 5})

    def test_numbers_that_do_not_fit(self):
        """Numbers for integers are not rounded, cut or wrapped."""
        module = lathe.compile("func.func @f(%x: tensor<i64>, %s: tensor<2xi8>, %b: tensor<i1>) -> tensor<i64> {\n  return %x : tensor<i64>\n}")
        self.assertEqual(int(module(2.0, [1.0, -128], 1)), 2)
        for inputs in [(1.9, [1, 2], True), (float("nan"), [1, 2], True), (2**63, [1, 2], True), (1, [1, 200], True), (1, [0.5, 1], True),
                       (1, [1, 2], 2), (1, [1, 2], 0.5)]:
            for call in (module, module.interpret):
                with self.subTest((inputs, call)), self.assertRaisesRegex(TypeError, "input '[xsb]' cannot become an array"):
                    call(*inputs)
        with self.assertRaisesRegex(TypeError, "input 'x' cannot become an array of int64: 1.9 is not a number of int64"):
            module(1.9, [1, 2], True)

    def test_names(self):
        for error, call in [(TypeError, lambda: self.module()), (TypeError, lambda: self.module(self.x, self.x)),
                            (TypeError, lambda: self.module(self.x, x=self.x)), (TypeError, lambda: self.module(z=1)),
                            (KeyError, lambda: self.module["none"]), (AttributeError, lambda: self.module.none),
                            (KeyError, lambda: self.module.state["none"]), (TypeError, lambda: self.module.state[3]),
                            (AttributeError, lambda: self.module.profile(self.x, entry="none")),
                            (TypeError, lambda: self.module.interpret())]:
            with self.assertRaises(error):
                call()

    def test_state(self):
        for error, value in [(ValueError, [1, 2]), (ValueError, np.zeros((2, 3))), (ValueError, "text"), (TypeError, object())]:
            with self.subTest(repr(value)), self.assertRaises(error):
                self.module.state["w"] = value
        with self.assertRaises((AttributeError, TypeError)):
            del self.module.state["w"]
        self.assertEqual(self.module.state["w"].tolist(), [0, 0, 0])

    def test_state_after_its_module(self):
        module = lathe.compile(GRAPH)
        w, state, entry, trained = module.state["w"], module.state, module.set, [1, 2, 3]
        entry(trained)
        del module
        gc.collect()
        w += 1
        self.assertEqual(state["w"].tolist(), [2, 3, 4])
        self.assertEqual(entry([0, 0, 1]).tolist(), [0, 0, 2])
        del entry, state
        gc.collect()
        self.assertEqual(w.tolist(), [0, 0, 1])

    def test_files_of_state(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "state")
            for content in (b"", b"\0" * 7, b"\xff" * 64, (8).to_bytes(8, "little") + b"not json"):
                file.write_bytes(content)
                with self.subTest(content), self.assertRaises(lathe.RunError):
                    self.module.state.load(file)
            with self.assertRaises(lathe.RunError):
                self.module.state.load(folder)
            with self.assertRaises(TypeError):
                self.module.state.load(3)

    def test_libraries(self):
        """Shared libraries that are not lathec's, or of another version."""
        with tempfile.TemporaryDirectory() as folder:
            library = self.module.write(pathlib.Path(folder, "graph"))[-1]
            content = library.read_bytes()
            self.assertEqual(content.count(MAGIC), 1)
            place = content.index(MAGIC)
            version = int.from_bytes(content[place + 8:place + 12], "little")
            for name, changed, text in [
                ("abi.so", content[:place + 8] + (version + 1).to_bytes(4, "little") + content[place + 12:], f"ABI version {version + 1}"),
                ("magic.so", content[:place] + b"\0" * 8 + content[place + 8:], "was not made by lathec"),
                ("empty.so", b"", "file too short"), ("text.so", b"text" * 100, "invalid ELF header")]:
                file = pathlib.Path(folder, name)
                file.write_bytes(changed)
                with self.subTest(name), self.assertRaisesRegex(ImportError, text):
                    _core.Program(str(file), "graph", "", 1)
            with self.assertRaisesRegex(ImportError, "was not made by lathec"):
                _core.Program(str(library), "other", "", 1)
            with self.assertRaisesRegex(OSError, "none.weights"):
                _core.Program(str(library), "graph", folder + "/none.weights", 1)
            with self.assertRaises(ImportError):
                _core.Program(folder + "/none.so", "graph", "", 1)
            with self.assertRaises(ValueError):
                _core.Program(str(library), "graph", "", -1)

    def test_read_only_results(self):
        """An array of JAX passes its memory on by DLPack, but must not change."""
        class ReadOnly:
            def __init__(self):
                self.array = np.zeros(3, np.float32)

            def __array__(self, *_, **__):
                view = self.array.view()
                view.flags.writeable = False
                return view

            def __dlpack__(self, **_):
                return self.array.__dlpack__()

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()

        kept = ReadOnly()
        with self.assertRaisesRegex(ValueError, "read-only"):
            self.module["set"](np.ones(3, np.float32), out=kept)
        self.assertFalse(kept.array.any())

    def test_options(self):
        """Options that do not fit the source, or have a value of another kind."""
        with self.assertRaisesRegex(TypeError, "open_dims= is for a torch.nn.Module"):
            lathe.compile(GRAPH, open_dims=[{0: "N"}])
        with self.assertRaisesRegex(TypeError, "expected one of lathe.optim"):
            lathe.train_step("model.onnx", "mse", optimizer="adam")
        with self.assertRaisesRegex(TypeError, "expected the name of a loss"):
            lathe.train_step("model.onnx", print)
        with self.assertRaisesRegex(ImportError, "lathec --target"):
            lathe.compile(GRAPH, target="aarch64-linux-gnu")
        self.assertIn("N", repr(lathe.compile(GRAPH, specialize={"N": 2})))

    def test_missing_exporter(self):
        """PyTorch is there, but not the package that its exporter needs."""
        class Module:
            training = False

            def modules(self):
                return [self]

            def eval(self):
                pass

        Module.__module__ = "torch.nn.modules.module"
        with unittest.mock.patch.dict(sys.modules, {"torch": types.ModuleType("torch"), "onnxscript": None}):
            with self.assertRaisesRegex(ImportError, "pip install onnxscript"):
                lathe.compile(Module(), (np.ones(3),))

    def test_objects_without_a_program(self):
        with self.assertRaises(TypeError):
            _core.Entry()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with self.assertRaises(TypeError):
                _core.Entry.__new__(_core.Entry)(1)
            with self.assertRaises(TypeError):
                _core.Program.__new__(_core.Program).variable_names()

    def test_threads(self):
        """Calls, new threads, and files of state at the same time."""
        failures, stop = [], threading.Event()

        def work(action):
            try:
                while not stop.is_set():
                    action()
            except Exception as error:  # reported below
                failures.append(error)

        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "state")
            x = np.ones((5000, 3), np.float32)

            def grow():
                self.assertEqual(self.module(x).shape, x.shape)

            def change():
                self.module.threads = 3 if self.module.threads == 1 else 1

            def keep():
                self.module.state.save(file)
                self.module.state.load(file)

            def misuse():
                with self.assertRaises(ValueError):
                    self.module(x[:, :2])

            threads = [threading.Thread(target=work, args=(action,)) for action in (grow, grow, change, keep, misuse)]
            for thread in threads:
                thread.start()
            stop.wait(1)
            stop.set()
            for thread in threads:
                thread.join()
        self.assertEqual(failures, [])


if __name__ == "__main__":
    unittest.main()
