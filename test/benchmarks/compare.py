"""Tests the statistics of benchmarks/suite, its files, and benchmarks/compare."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from sample import sample

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "benchmarks/suite"))
import results  # noqa: E402: after the path
import stats  # noqa: E402


def numbers(file, row, peer, threads=1):
    """Returns the entry of a peer, to be changed."""
    return results.measured(file)[row, peer, threads]


class Statistics(unittest.TestCase):
    def test_quantiles_lie_between_two_values(self):
        self.assertEqual(stats.quantile([4, 1, 3, 2], 0.5), 2.5)
        self.assertEqual(stats.quantile([5, 1, 2, 4, 3], 0.25), 2)
        self.assertEqual(stats.quantile([7], 0.75), 7)

    def test_summary_joins_slices(self):
        found = stats.summary([{"runs": 30, "minimum": 900_000, "times": [1_000_000, 2_000_000, 3_000_000]},
                               {"runs": 2, "minimum": 4_000_000, "times": [4_000_000, 5_000_000]}])
        self.assertEqual(found, {"median_ms": 3.0, "minimum_ms": 0.9, "spread_ms": 2.0, "slices_ms": [2.0, 4.5], "runs": 32})

    def test_noise_is_the_larger_spread(self):
        for old, new in [(0.0, 0.5), (0.5, 0.0)]:
            a, b = ({"median_ms": median, "spread_ms": spread} for median, spread in [(10.0, old), (10.6, new)])
            self.assertEqual(stats.noise(a, b), 0.5)
            self.assertTrue(stats.differs(a, b))
            self.assertTrue(stats.differs(b, a))
        self.assertFalse(stats.differs({"median_ms": 10.0, "spread_ms": 0.7}, {"median_ms": 10.6, "spread_ms": 0.0}))

    def test_noise_has_a_floor_of_two_percent(self):
        quiet = {"median_ms": 10.0, "spread_ms": 0.0}
        self.assertFalse(stats.differs(quiet, {"median_ms": 10.19, "spread_ms": 0.0}))
        self.assertTrue(stats.differs(quiet, {"median_ms": 10.21, "spread_ms": 0.0}))


class Files(unittest.TestCase):
    def test_another_format_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder, "a.json"))
            results.write(path, sample())
            self.assertEqual(results.read(path), sample())
            results.write(path, {**sample(), "format": 2})
            self.assertRaises(results.FormatError, results.read, path)
            results.write(path, [])
            self.assertRaises(results.FormatError, results.read, path)


class Compare(unittest.TestCase):
    def compare(self, old, new, *options):
        with tempfile.TemporaryDirectory() as folder:
            paths = [str(Path(folder, name)) for name in ("old.json", "new.json")]
            for path, file in zip(paths, (old, new)):
                Path(path).write_text(json.dumps(file))
            return subprocess.run([sys.executable, ROOT / "benchmarks/compare", *paths, *options], capture_output=True, text=True)

    def test_equal_results_pass(self):
        done = self.compare(sample(), sample())
        self.assertEqual((done.returncode, done.stdout), (0, "0 of 14 medians moved by more than the noise\n"))

    def test_the_largest_change_comes_first(self):
        new = sample()
        numbers(new, "first", "lathe")["median_ms"] = 2.2  # 1.1 x slower
        numbers(new, "second", "lathe")["median_ms"] = 1.0  # 2 x faster
        numbers(new, "second", "openvino")["median_ms"] = 1.5
        numbers(new, "third", "lathe")["median_ms"] = 2.19  # within its spread
        done = self.compare(sample(), new)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.splitlines(), [
            "  2.00 x faster  second, Lathe, 1 thread: 2 ms, now 1 ms (noise 2.0 %)",
            "  1.50 x slower  second, OpenVINO, 1 thread: 1 ms, now 1.5 ms (noise 2.0 %)",
            "  1.10 x slower  first, Lathe, 1 thread: 2 ms, now 2.2 ms (noise 2.0 %)",
            "3 of 14 medians moved by more than the noise"])

    def test_peers_can_be_selected(self):
        new = sample()
        numbers(new, "second", "openvino")["median_ms"] = 1.5
        self.assertEqual(self.compare(sample(), new, "--peer", "lathe,jax").returncode, 0)
        self.assertEqual(self.compare(sample(), new, "--peer", "openvino").returncode, 1)

    def test_other_conditions_are_noted(self):
        new = sample()
        new["machine"]["cpu"], new["versions"]["jax"] = "Another CPU", "0.10"
        del new["rows"][0]
        self.assertEqual(self.compare(sample(), new).stdout.splitlines(), [
            "note: machine: cpu was 'A CPU', now 'Another CPU'", "note: JAX was 0.9, now 0.10",
            "only in the old results: 8 medians, of first", "0 of 6 medians moved by more than the noise"])

    def test_wrong_usage_has_a_status_of_its_own(self):
        self.assertEqual(self.compare(sample(), {"format": 0}).returncode, 2)
        done = subprocess.run([sys.executable, ROOT / "benchmarks/compare", "missing.json", "missing.json"], capture_output=True)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main()
