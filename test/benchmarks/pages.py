"""Tests the tables, the plot and the pages that benchmarks/suite/pages makes of results."""
import copy
import json
import math
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from sample import entry, sample

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "benchmarks/suite"))
import plot  # noqa: E402: after the path
import results  # noqa: E402
import tables  # noqa: E402


class Tables(unittest.TestCase):
    def test_compact_table_marks_rows_that_are_behind(self):
        self.assertEqual(tables.compact(sample()).splitlines(), [
            "|  | Lathe ms | ONNX Runtime | OpenVINO | JAX |", "|---|---|---|---|---|",
            "| first | 2 / 1 | 1.50 / 1.50 | 2.00 / 2.00 | 2.50 / 500 |",
            "| second | 2 / - | **0.90** / - | **0.50** / - |  |",
            "| third | 2 / 1.5 |  |  | 0.95 / - |"])

    def test_means_are_geometric_and_of_a_kind(self):
        file = sample()  # the only network is `first`, of which OpenVINO takes 2.00 times as long
        self.assertEqual(tables.means(file).splitlines(), [
            "|  | ONNX Runtime | OpenVINO | JAX | best peer |", "|---|---|---|---|---|",
            "| networks | 1.50 / 1.50 | 2.00 / 2.00 | 2.50 / 500.00 | 1.50 / 1.50 |",
            "| kernels | 0.90 / - | 0.50 / - |  | 0.50 / - |",
            "| training steps |  |  | 0.95 / - | 0.95 / - |"])
        file["rows"][1]["kind"] = "network"  # 1.5 and 0.9, 2 and 0.5
        self.assertEqual(tables.means(file).splitlines()[2], "| networks | 1.16 / 1.50 | 1.00 / 2.00 | 2.50 / 500.00 | 0.87 / 1.50 |")
        file["rows"][1]["name"] = "empty"
        self.assertEqual(tables.means(file).splitlines()[2], "| networks | 1.50 / 1.50 | 2.00 / 2.00 | 2.50 / 500.00 | 1.50 / 1.50 |")

    def test_fast_times_are_a_column_and_not_a_peer(self):
        file = sample()
        file["rows"][0]["measured"].append(entry("lathe_fast", 1, 1.2))
        self.assertEqual(tables.compact(file).splitlines()[:3], [
            "|  | Lathe ms | fast ms | ONNX Runtime | OpenVINO | JAX |", "|---|---|---|---|---|---|",
            "| first | 2 / 1 | 1.2 / - | 1.50 / 1.50 | 2.00 / 2.00 | 2.50 / 500 |"])
        self.assertEqual(tables.means(file).splitlines()[::2], [
            "|  | ONNX Runtime | OpenVINO | JAX | best peer | best peer, fast |",
            "| networks | 1.50 / 1.50 | 2.00 / 2.00 | 2.50 / 500.00 | 1.50 / 1.50 | 2.50 / - |",
            "| training steps |  |  | 0.95 / - | 0.95 / - |  |"])
        lines = tables.detailed(file, 1).splitlines()
        self.assertIn("| first | 2 | 0.0 % | 1.2 | 1.50 | 2.00 | 2.50 |  | 1e-06 | 0.25 |", lines)
        self.assertIn("| third | 2 | 10.0 % | - | - | - | 0.95 |  | 1e-06 | 0.25 |", lines)
        self.assertNotIn("Lathe, fast", plot.svg(file))

    def test_detailed_table_names_the_fastest_peer(self):
        lines = tables.detailed(sample(), 1).splitlines()
        self.assertIn("| second | 2 | 0.0 % | **0.90** | **0.50** | - | OpenVINO, 2.00 x | 1e-06 | 0.25 |", lines)
        self.assertIn("| third | 2 | 10.0 % | - | - | 0.95 |  | 1e-06 | 0.25 |", lines)
        self.assertEqual([line.split(" | ")[0] for line in lines if "spread" in line], ["| networks", "| kernels", "| training steps"])
        self.assertEqual([line.split(" | ")[0] for line in lines if "0.25 |" in line], ["| first", "| second", "| third"])
        self.assertNotIn("second", tables.detailed(sample(), 2))

    def test_a_noisy_peer_does_not_hide_another(self):
        file = sample()
        results.measured(file)["second", "openvino", 1]["spread_ms"] = 5.0
        self.assertIn("| second | 2 | 0.0 % | **0.90** | 0.50 | - | ONNX Runtime, 1.11 x | 1e-06 | 0.25 |", tables.detailed(file, 1))

    def test_what_is_missing_is_named(self):
        self.assertEqual(tables.failures(sample()).splitlines()[2:], [
            "- PyTorch: the Python package 'torch' cannot be imported.",
            "- second, JAX, 1 thread: results are 1.0e+00 from the reference"])

    def test_short_numbers(self):
        self.assertEqual([tables.short(value) for value in (1234.5, 84.53, 0.0397, 0.00004)], ["1234", "84.5", "0.0397", "0.00004"])


class Plot(unittest.TestCase):
    def test_every_ratio_has_a_dot(self):
        drawing = ElementTree.fromstring(plot.svg(sample()))
        space = "{http://www.w3.org/2000/svg}"
        titles = [title.text for title in drawing.iter(space + "title")]
        self.assertEqual(titles, ["first, ONNX Runtime: 1.50", "first, OpenVINO: 2.00", "first, JAX: 2.50", "second, ONNX Runtime: 0.90",
                                  "second, OpenVINO: 0.50", "third, JAX: 0.95", "first, ONNX Runtime: 1.50", "first, OpenVINO: 2.00",
                                  "first, JAX: 500.00"])
        words = [text.text for text in drawing.iter(space + "text")]
        for name in ("first", "second", "third"):
            self.assertEqual(words.count(name), 1)

    def test_places_are_logarithmic_and_stay_inside(self):
        left = 100
        self.assertAlmostEqual(plot.place(2, left) - plot.place(1, left), plot.place(4, left) - plot.place(2, left))
        self.assertEqual(plot.place(1000, left), left + plot.PANEL)
        self.assertEqual(plot.place(0.01, left), left)
        self.assertTrue(math.isclose(plot.place(math.sqrt(plot.LOW * plot.HIGH), left), left + plot.PANEL / 2))

    def test_the_same_results_give_the_same_bytes(self):
        self.assertEqual(plot.svg(sample()), plot.svg(copy.deepcopy(sample())))


class Pages(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name)
        for path in ("README.md", "docs/index.md", "docs/benchmarks.md"):
            self.root.joinpath(path).parent.mkdir(exist_ok=True)
            self.root.joinpath(path).write_text("# Before\n<!-- suite -->\nstale words\n<!-- end of suite -->\nafter\n")
        with self.root.joinpath("docs/index.md").open("a") as index:
            index.write("<!-- means -->\nstale words\n<!-- end of means -->\n")
        self.root.joinpath("suite.json").write_text(json.dumps(sample()))

    def tearDown(self):
        self.folder.cleanup()

    def pages(self, *options):
        command = [sys.executable, ROOT / "benchmarks/suite/pages", "--root", self.root, *options]
        return subprocess.run(command, capture_output=True, text=True)

    def test_pages_are_written_between_markers(self):
        path = self.root / "suite.json"
        self.assertEqual(self.pages("--check", path).returncode, 1)
        self.assertEqual(self.pages(path).returncode, 0)
        self.assertEqual(self.pages("--check", path).returncode, 0)
        readme = self.root.joinpath("README.md").read_text()
        self.assertTrue(re.fullmatch(r"# Before\n<!-- suite -->\n.*\n<!-- end of suite -->\nafter\n", readme, re.S))
        self.assertNotIn("stale words", readme)
        self.assertIn(tables.compact(sample()), readme)
        details = self.root.joinpath("docs/benchmarks.md").read_text()
        for part in (tables.detailed(sample(), 1), tables.detailed(sample(), 2), "(benchmarks.svg)", "0123456789ab:"):
            self.assertIn(part, details)
        self.assertEqual(self.root.joinpath("docs/benchmarks.svg").read_text(), plot.svg(sample()))

    def test_another_machine_has_a_page(self):
        other = sample()
        other["machine"]["cpu"] = "another"
        self.root.joinpath("suite-other.json").write_text(json.dumps(other))
        page = self.root / "docs/benchmarks-other.md"
        page.write_text("# Other\n<!-- suite -->\nstale words\n<!-- end of suite -->\n")
        self.assertEqual(self.pages(self.root / "suite.json").returncode, 0)
        for part in (tables.means(other), tables.detailed(other, 2), "of another ("):
            self.assertIn(part, page.read_text())
        self.assertNotIn("of another (", self.root.joinpath("docs/benchmarks.md").read_text())
        page.write_text(page.read_text().replace("another", "a third"))
        self.assertEqual(self.pages("--check", self.root / "suite.json").returncode, 1)

    def test_the_first_page_has_some_rows(self):
        file = sample()
        file["rows"][0]["name"] = "resnet50"
        self.root.joinpath("suite.json").write_text(json.dumps(file))
        self.assertEqual(self.pages(self.root / "suite.json").returncode, 0)
        index = self.root.joinpath("docs/index.md").read_text()
        self.assertIn("| resnet50 | 2 / 1 | 1.50 / 1.50 |", index)
        self.assertIn("<!-- means -->\n" + tables.means(file) + "\n<!-- end of means -->\n", index)
        self.assertNotIn("second", index)
        self.assertIn("| second |", self.root.joinpath("README.md").read_text())

    def test_a_page_without_markers_is_refused(self):
        self.root.joinpath("README.md").write_text("# No markers\n")
        done = self.pages(self.root / "suite.json")
        self.assertEqual(done.returncode, 1)
        self.assertIn("README.md: expected the lines '<!-- suite -->'", done.stderr)

    def test_without_results_there_is_nothing_to_check(self):
        self.assertEqual(self.pages("--check").returncode, 0)
        self.assertEqual(self.pages("missing.json").returncode, 2)


if __name__ == "__main__":
    unittest.main()
