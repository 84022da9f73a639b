"""Objects whose values move to a cold workspace, which the package allocates."""
import pathlib
import re
import subprocess
import tempfile
import unittest

import numpy as np

import lathe
from lathe import _compiler, _core

# The loop's result is read early and late, and cannot be computed again.
GRAPH = """
func.func @late(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>, %z: tensor<3x64x64xf32>) -> (tensor<64x64xf32> {lathe.name = "out"}) {
  %l = lathe.scan carry(%c = %x : tensor<64x64xf32>) over(%b = %z : tensor<3x64x64xf32>) -> tensor<64x64xf32> {
    %n = lathe.max %b, %c : tensor<64x64xf32>
    lathe.yield carry(%n : tensor<64x64xf32>)
  }
  %p = lathe.dot_general %l, %y contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  %q = lathe.dot_general %p, %y contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  %r = lathe.dot_general %l, %q contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
"""


class Offload(unittest.TestCase):
    def program(self, folder, *options):
        """Compiles the graph, and returns its program and its header."""
        base = pathlib.Path(folder, "graph" + str(len(options)))
        subprocess.run([_compiler.tool("lathec"), "-", "--name=graph", "-o", f"{base}.so", *options], input=GRAPH, text=True, check=True)
        return _core.Program(f"{base}.so", "graph", "", 1), pathlib.Path(f"{base}.h").read_text()

    def test_bits(self):
        random = np.random.default_rng(1)
        inputs = [random.standard_normal(shape, dtype=np.float32) for shape in [(64, 64), (64, 64), (3, 64, 64)]]
        with tempfile.TemporaryDirectory() as folder:
            free, _ = self.program(folder)
            small, header = self.program(folder, "--mem-budget=33000", "--offload")
            self.assertIn("GRAPH_LATE_COLD_WORKSPACE_SIZE LATHE_CAST(size_t, 16384u)", header)
            for _ in range(2):
                np.testing.assert_array_equal(small.entries[0](*inputs), free.entries[0](*inputs))

    def test_option(self):
        """A budget of lathe.compile: refused with the least, or kept to, with the same bits."""
        random = np.random.default_rng(1)
        inputs = [random.standard_normal(shape, dtype=np.float32) for shape in [(64, 64), (64, 64), (3, 64, 64)]]
        wanted = lathe.compile(GRAPH)(*inputs)
        with self.assertRaisesRegex(lathe.CompileError, "use --mem-budget=[0-9]+ or more") as refused:
            lathe.compile(GRAPH, mem_budget="33KB")
        least = int(re.search("use --mem-budget=([0-9]+)", str(refused.exception))[1])
        self.assertGreater(least, 33000)
        for options in ({"mem_budget": least}, {"mem_budget": "33KB", "offload": True}):
            with self.subTest(options):
                np.testing.assert_array_equal(lathe.compile(GRAPH, **options)(*inputs), wanted)
        with self.assertRaisesRegex(lathe.CompileError, "'much' is not a size"):
            lathe.compile(GRAPH, mem_budget="much")


if __name__ == "__main__":
    unittest.main()
