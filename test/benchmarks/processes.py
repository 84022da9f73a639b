"""Tests how benchmarks/suite/turns.py measures processes in turns, with small programs in place of peers."""
import os
import sys
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "benchmarks/suite"))
import turns  # noqa: E402: after the path

# Answers each turn with the time of day, its own number of turns, and how many cores it may use.
PEER = """
import json, os, sys, time
print(json.dumps({"version": "1"}), flush=True)
for number, line in enumerate(sys.stdin):
    if number == int(sys.argv[1]):
        sys.exit(3)
    if number == int(sys.argv[2]):
        print(json.dumps({"failed": "no more"}), flush=True)
        continue
    times = [time.monotonic_ns(), len(os.sched_getaffinity(0))]
    print(json.dumps({"runs": 7, "minimum": float(line.split()[0]) * 1e6, "times": times}), flush=True)
"""


def state(worker):
    """Returns the letter of the process's state, such as T for a stopped one."""
    return Path(f"/proc/{worker.process.pid}/stat").read_text().rpartition(")")[2].split()[0]


def until_stopped(worker):
    end = time.monotonic() + 60
    while state(worker) != "T" and time.monotonic() < end:
        time.sleep(0.001)
    return state(worker)


class Turns(unittest.TestCase):
    def setUp(self):
        self.workers = {}

    def tearDown(self):
        for worker in self.workers.values():
            worker.end()

    def start(self, *names, dies=-1, fails=-1):
        for name in names:
            command = [sys.executable, "-c", PEER, str(dies), str(fails)]
            self.workers[name] = turns.Worker(command, dict(os.environ), sorted(os.sched_getaffinity(0))[:1], None)
            self.assertEqual(self.workers[name].receive(), {"version": "1"})

    def measure(self):
        entries = {name: {} for name in self.workers}
        turns.take_turns(self.workers, entries, 5.0)
        return entries

    def test_a_process_runs_in_its_turns_only(self):
        self.start("a")
        self.assertEqual(until_stopped(self.workers["a"]), "T")
        answer = self.workers["a"].turn(0.25)
        self.assertEqual((answer["minimum"], answer["times"][1]), (0.25e6, 1))
        self.assertEqual(until_stopped(self.workers["a"]), "T")

    def test_all_slices_are_summed_up(self):
        self.start("a", "b")
        for entry in self.measure().values():
            self.assertEqual((entry["runs"], entry["minimum_ms"]), (7 * turns.SLICES, 5.0 / turns.SLICES))
            self.assertEqual(len(entry["slices_ms"]), turns.SLICES)

    def test_each_round_starts_with_another_process(self):
        order = []

        class Recorder:
            def __init__(self, name):
                self.name = name

            def turn(self, seconds):
                order.append(self.name)
                return {"runs": 1, "minimum": 1, "times": [1]}

            def end(self):
                pass
        self.workers = {name: Recorder(name) for name in "abc"}
        self.measure()
        self.assertEqual("".join(order), "abcbcacababcbca")

    def test_a_process_that_ends_or_fails_leaves_the_others(self):
        self.start("sound")
        self.start("dead", dies=1)
        self.start("failing", fails=2)
        entries = self.measure()
        self.assertEqual(entries["dead"], {"failed": "the process ended with status 3"})
        self.assertEqual(entries["failing"], {"failed": "no more"})
        self.assertEqual(entries["sound"]["runs"], 7 * turns.SLICES)
        self.assertEqual(list(self.workers), ["sound"])

    def test_a_process_that_died_between_turns_is_reported(self):
        self.start("a")
        self.workers["a"].process.kill()
        self.workers["a"].process.wait()
        self.assertEqual(self.workers["a"].turn(1.0), {"failed": "the process ended with status -9"})

    def test_a_process_that_hangs_is_killed(self):
        limit, turns.LIMIT = turns.LIMIT, 0.2
        try:
            cores = os.sched_getaffinity(0)
            self.workers["a"] = turns.Worker([sys.executable, "-c", "import time; time.sleep(600)"], None, cores, None)
            self.assertEqual(self.workers["a"].receive(), {"failed": "the process ended with status -9"})
        finally:
            turns.LIMIT = limit


if __name__ == "__main__":
    unittest.main()
