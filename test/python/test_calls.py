"""Calls of entries: inputs of all kinds, results, sizes, and what is refused."""
import os
import threading
import unittest

import numpy as np

import lathe

GRAPH = """
func.func @scale(%x: tensor<?x3xf32> {lathe.dims = #lathe.dims<N>}, %by: tensor<3xf32>) -> (tensor<?x3xf32> {lathe.name = "y"}) {
  %y = lathe.mul %x, %by : tensor<?x3xf32>, tensor<3xf32>
  return %y : tensor<?x3xf32>
}
func.func @two(%x: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %a = lathe.neg %x : tensor<f64>
  %b = lathe.exp %x : tensor<f64>
  return %a, %b : tensor<f64>, tensor<f64>
}
func.func @count() -> tensor<?xi64> {
  %i = lathe.iota dim 0 to [K] : i64
  return %i : tensor<?xi64>
}
func.func @halves(%x: tensor<?xf32> {lathe.dims = #lathe.dims<floor_div(H, 2)>}) -> tensor<f32> {
  %s = lathe.reduce sum %x dims [0] : tensor<?xf32>
  return %s : tensor<f32>
}
func.func @pairs(%x: tensor<?xf32> {lathe.dims = #lathe.dims<2 * P>}) -> tensor<f32> {
  %s = lathe.reduce sum %x dims [0] : tensor<?xf32>
  return %s : tensor<f32>
}
func.func @invert(%x: tensor<?xi1> {lathe.dims = #lathe.dims<N>}) -> tensor<?xi1> {
  %y = lathe.not %x : tensor<?xi1>
  return %y : tensor<?xi1>
}
func.func @root(%x: tensor<f32>) -> tensor<f32> {
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %fits = lathe.compare ge %x, %zero : tensor<f32>
  lathe.assert %fits, "x is negative" : tensor<i1>
  %y = lathe.sqrt %x : tensor<f32>
  return %y : tensor<f32>
}
"""


class Calls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.module = lathe.compile(GRAPH, threads=2)
        cls.x = np.arange(6, dtype=np.float32).reshape(2, 3)
        cls.by = np.array([1, 10, 100], np.float32)
        cls.scaled = [[0, 10, 200], [3, 40, 500]]

    def test_positions_and_names(self):
        self.assertEqual(self.module(self.x, self.by).tolist(), self.scaled)
        self.assertEqual(self.module.scale(by=self.by, x=self.x).tolist(), self.scaled)
        self.assertEqual(self.module["scale"](self.x, by=self.by).tolist(), self.scaled)

    def test_several_results_and_numbers(self):
        a, b = self.module.two(1)
        self.assertEqual((a.shape, a.dtype, float(a)), ((), np.float64, -1.0))
        self.assertAlmostEqual(float(b), 2.718281828459045)

    def test_lists(self):
        self.assertEqual(self.module([[1, 2, 3]], (1, 1, 2)).tolist(), [[1, 2, 6]])

    def test_arrays_in_any_order(self):
        columns = np.asfortranarray(self.x)
        self.assertEqual(self.module(columns, self.by).tolist(), self.scaled)
        self.assertEqual(self.module(self.x[::-1], self.by).tolist(), self.scaled[::-1])
        unaligned = np.frombuffer(b"\0" + self.by.tobytes(), np.uint8)[1:].view(np.float32)
        self.assertEqual(self.module(self.x, unaligned).tolist(), self.scaled)

    def test_dlpack(self):
        class Foreign:
            def __init__(self, array):
                self.array = array

            def __dlpack__(self, **options):
                return self.array.__dlpack__(**options)

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()

        self.assertEqual(self.module(Foreign(self.x), self.by).tolist(), self.scaled)

    def test_read_only_inputs(self):
        x = self.x.copy()
        x.flags.writeable = False
        self.assertEqual(self.module(x, self.by).tolist(), self.scaled)

    def test_bfloat16(self):
        """Numbers, lists, float arrays' bits and arrays of ml_dtypes; 1 + 2^-8 is halfway and rounds to the even 1, 1 + 3 * 2^-8 to 1 + 2^-6."""
        module = lathe.compile("""func.func @f(%x: tensor<4xbf16>, %s: tensor<bf16>) -> (tensor<4xbf16> {lathe.name = "y"}) {
  %y = lathe.mul %x, %s : tensor<4xbf16>, tensor<bf16>
  return %y : tensor<4xbf16>
}""")

        def values(array):
            bits = np.asarray(array).view(np.uint16).astype(np.uint32) << 16
            return bits.view(np.float32).tolist()

        self.assertEqual(values(module([1, 2, 3, -4], 3.0)), [3, 6, 9, -12])
        self.assertEqual(values(module([1 + 2**-8, 1 + 3 * 2**-8, float("inf"), 0.5], 1)), [1, 1 + 2**-6, float("inf"), 0.5])
        self.assertTrue(np.isnan(values(module([float("nan")] * 4, 1))).all())
        own = module([1, 2, 3, 4], 1)
        self.assertEqual(values(module(own, 2.0)), [2, 4, 6, 8])
        out = np.zeros_like(own)
        module(own, 2.0, out=out)
        self.assertEqual(values(out), [2, 4, 6, 8])
        self.assertEqual(module.interpret(out, 0.5).tolist(), [1, 2, 3, 4])

    def test_booleans(self):
        self.assertEqual(self.module.invert(np.array([True, False])).tolist(), [False, True])

    def test_empty(self):
        self.assertEqual(self.module(np.zeros((0, 3), np.float32), self.by).shape, (0, 3))

    def test_out(self):
        out = np.empty((2, 3), np.float32)
        self.assertIs(self.module(self.x, self.by, out=out), out)
        self.assertEqual(out.tolist(), self.scaled)
        a, b = np.empty((), np.float64), np.empty((), np.float64)
        self.module.two(0, out=(a, b))
        self.assertEqual((float(a), float(b)), (0.0, 1.0))

    def test_sizes_that_inputs_do_not_have(self):
        self.assertEqual(self.module(self.x, self.by, dims=None).tolist(), self.scaled)
        self.assertEqual(self.module.count(dims={"K": 4}).tolist(), [0, 1, 2, 3])
        with self.assertRaisesRegex(ValueError, "do not determine the size of dimension 'K'"):
            self.module.count()
        with self.assertRaisesRegex(ValueError, "count has no dimension 'Q'; it has K"):
            self.module.count(dims={"Q": 1})

    def test_sizes_in_expressions(self):
        self.assertEqual(float(self.module.pairs(np.ones(6, np.float32))), 6)
        with self.assertRaisesRegex(ValueError, r"input '\w+' has the shape \(5,\), expected f32\[2 \* P\], which no size 'P' gives"):
            self.module.pairs(np.ones(5, np.float32))
        with self.assertRaisesRegex(ValueError, "dimension 'H'"):
            self.module.halves(np.ones(3, np.float32))
        self.assertEqual(float(self.module.halves(np.ones(3, np.float32), dims={"H": 7})), 3)

    def test_misfits(self):
        x, by = self.x, self.by
        for error, text, call in [
            (TypeError, "input 'x' has elements of float64, expected float32", lambda: self.module(x.astype(np.float64), by)),
            (TypeError, r"misses input 'by', f32\[3\]", lambda: self.module(x)),
            (TypeError, "takes 2 inputs, not 3", lambda: self.module(x, by, by)),
            (TypeError, "no input 'z'", lambda: self.module(x, by, z=1)),
            (TypeError, "input 'x' twice", lambda: self.module(x, by, x=x)),
            (TypeError, "cannot become an array of float32", lambda: self.module("text", by)),
            (TypeError, "input 'x' is None", lambda: self.module(None, by)),
            (ValueError, r"shape \(2, 2\), expected f32\[N\]\[3\] with N = 2", lambda: self.module(x[:, :2], by)),
            (ValueError, r"shape \(6,\), expected f32\[N\]\[3\]", lambda: self.module(x.ravel(), by)),
            (ValueError, r"shape \(2,\), expected \(2, 3\)", lambda: self.module(x, by, out=np.empty(2, np.float32))),
            (ValueError, "not row-major", lambda: self.module(x, by, out=np.empty((3, 2), np.float32).T)),
            (TypeError, "elements of int32", lambda: self.module(x, by, out=np.empty((2, 3), np.int32))),
            (ValueError, "has 1 array, but two has 2 results", lambda: self.module.two(0, out=(np.empty(()),))),
            (TypeError, "'out' is of type ndarray, expected a tuple or a list with 2 arrays", lambda: self.module.two(0, out=np.empty(2))),
            (AttributeError, "no entry 'nothing'; it has scale, two", lambda: self.module.nothing),
        ]:
            with self.subTest(text), self.assertRaisesRegex(error, text):
                call()
        read_only = np.empty((2, 3), np.float32)
        read_only.flags.writeable = False
        with self.assertRaisesRegex(ValueError, "read-only"):
            self.module(x, by, out=read_only)

    def test_overlap_is_refused(self):
        x = np.ones((2, 3), np.float32)
        with self.assertRaises(lathe.RunError) as caught:
            self.module(x, self.by, out=x)
        self.assertEqual((caught.exception.status, caught.exception.function), ("LATHE_ERROR_OVERLAP", "scale"))

    def test_failures_name_the_line(self):
        with self.assertRaises(lathe.RunError) as caught:
            self.module.root(-1)
        error = caught.exception
        self.assertEqual((error.status, error.file, error.op), ("LATHE_ERROR_ASSERT", "graph.mlir", "lathe.assert"))
        self.assertEqual(GRAPH.splitlines()[error.line - 1].split()[0], "lathe.assert")
        self.assertIn("x is negative", str(error))
        self.assertEqual(float(self.module.root(4)), 2)

    def test_threads_of_python(self):
        wrong = []

        def call(number):
            x = np.full((1000, 3), number, np.float32)
            for _ in range(50):
                if not (self.module(x, self.by)[:, 0] == number).all():
                    wrong.append(number)

        threads = [threading.Thread(target=call, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_threads_of_calls(self):
        module = lathe.compile(GRAPH, threads=1)
        self.assertEqual(module.threads, 1)
        one = module(np.ones((100000, 3), np.float32), self.by)
        module.threads = 3
        self.assertEqual(module.threads, 3)
        self.assertTrue((module(np.ones((100000, 3), np.float32), self.by) == one).all())
        with self.assertRaisesRegex(ValueError, "threads is -1"):
            module.threads = -1

    def test_threads_of_one_call(self):
        module = lathe.compile(GRAPH, threads=1)
        x = np.ones((100000, 3), np.float32)
        one = module(x, self.by)
        for count in (2, 3, 0, None, 2):
            self.assertTrue((module(x, self.by, threads=count) == one).all())
            self.assertEqual(module.threads, 1)
        tasks = len(os.listdir("/proc/self/task"))
        for _ in range(5):  # threads that are there are used again
            module(x, self.by, threads=3)
        self.assertEqual(len(os.listdir("/proc/self/task")), tasks)
        module(x, self.by, threads=5)
        self.assertEqual(len(os.listdir("/proc/self/task")), tasks + 4)
        for error, count in [(ValueError, -1), (TypeError, 1.5), (TypeError, "two")]:
            with self.subTest(count), self.assertRaisesRegex(error, "threads"):
                module(x, self.by, threads=count)

    def test_sizes_that_data_decides(self):
        import onnx_models

        module = lathe.compile(onnx_models.nonzero())
        self.assertEqual(module(np.array([[0, 2], [3, 0]], np.float32))[0].tolist(), [[0, 1], [1, 0]])
        self.assertEqual(module(np.zeros((2, 2), np.float32))[0].shape, (2, 0))


if __name__ == "__main__":
    unittest.main()
