"""Tests benchmarks/ranks/train without measuring: its jobs, its table, and a small net on one rank and on two ranks of Open MPI.

usage: ranks_train.py BUILD"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "benchmarks/ranks"))
import train  # noqa: E402: after the path
import train_jobs  # noqa: E402
from npy import write_npy  # noqa: E402

# Answers with its rank, and then with each command.
RANK = """
import json, sys, time
name, commands, rank, ranks = sys.argv[1:]
if rank != "0":
    time.sleep(0.5)  # so that it opens its pipe after the test ends the job
if rank == "0":
    print(json.dumps({"name": name, "ranks": ranks}), flush=True)
for line in open(f"{commands}.{rank}"):
    if line == "fail\\n":
        sys.exit(3)
    if line == "end 0\\n":
        break
    if rank == "0":
        print(json.dumps({"command": line}), flush=True)
"""

# The mean of (x w)^2 over the batch: its gradient is 2 w mean(x^2).
TINY = """
lathe.dim @B, 1 to 64
lathe.variable @w : tensor<3xf32> init #lathe.fill<1.0>
func.func private @loss(%x: tensor<?x3xf32>) -> tensor<f32> {
  %w = lathe.read @w : tensor<3xf32>
  %y = lathe.mul %x, %w : tensor<?x3xf32>, tensor<3xf32>
  %z = lathe.mul %y, %y : tensor<?x3xf32>, tensor<?x3xf32>
  %loss = lathe.std.mean %z dims [0, 1] : tensor<?x3xf32>
  return %loss : tensor<f32>
}
func.func @train(%x: tensor<?x3xf32> {lathe.dims = #lathe.dims<B>}, %rate: tensor<f32>) -> (tensor<f32> {lathe.name = "loss"}) {
  %loss = lathe.minimize @loss(%x) with sgd<> learning_rate %rate : tensor<f32> : (tensor<?x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
"""


def tiny_losses(batches, rate):
    """Returns the losses that the steps of TINY have, by its formula."""
    w, losses = [1.0] * 3, []
    for batch in batches:
        squares = [sum(row[i] ** 2 for row in batch) / (3 * len(batch)) for i in range(3)]
        losses.append(sum(square * weight ** 2 for square, weight in zip(squares, w)))
        w = [weight - rate * 2 * weight * square for square, weight in zip(squares, w)]
    return losses


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.jobs = []

    def tearDown(self):
        for job in self.jobs:
            job.end()
        shutil.rmtree(self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)


class Jobs(Folder):
    def start(self, ranks):
        job = train_jobs.Job.of_processes([sys.executable, "-c", RANK, "net"], self.path("commands"), ranks)
        self.jobs.append(job)
        return job

    def test_rank_0_answers_and_all_ranks_end(self):
        job = self.start(2)
        self.assertEqual(job.receive(), {"name": "net", "ranks": "2"})
        self.assertEqual(job.ask("step 3"), {"command": "step 3\n"})
        self.assertEqual([len(os.sched_getaffinity(process.pid)) for process in job.processes], [1, 1])
        job.end()
        self.assertEqual([process.returncode for process in job.processes], [0, 0])  # none was killed or failed
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_process_that_ends_is_reported(self):
        job = self.start(1)
        job.receive()
        with self.assertRaisesRegex(SystemExit, "the process ended with status 3"):
            job.ask("fail")


class Results(unittest.TestCase):
    def test_two_ranks_are_compared_with_one_of_the_same_job(self):
        def entry(job, ranks, least):
            return {"job": job, "ranks": ranks, "minimum_ms": least, "median_ms": 2 * least}
        measured = [entry("single", 1, 10.0), entry("ranks", 1, 12.0), entry("ranks", 2, 6.0), entry("zero", 2, 8.0),
                    entry("torch", 1, 30.0), entry("torch", 2, 20.0)]
        lines = train.table({"nets": [{"name": "digits", "measured": measured}]}).splitlines()
        self.assertEqual(lines[2:], ["| digits | single | 1 | 10.0 | 20.0 |  |", "| digits | ranks | 1 | 12.0 | 24.0 |  |",
                                     "| digits | ranks | 2 | 6.0 | 12.0 | 2.00 |", "| digits | zero | 2 | 8.0 | 16.0 | 1.25 |",
                                     "| digits | torch | 1 | 30.0 | 60.0 |  |", "| digits | torch | 2 | 20.0 | 40.0 | 1.50 |"])

    def test_unknown_names_are_refused(self):
        done = subprocess.run([sys.executable, "-B", train.__file__, "--nets", "digit"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("'digit' is not one of transformer, digits", done.stderr)


class TinyNet(Folder):
    def test_one_rank_and_two(self):
        batches = [[[0.25 * ((7 * step + 3 * row + i) % 11) for i in range(3)] for row in range(8)] for step in range(4)]
        with open(self.path("tiny.mlir"), "w") as file:
            file.write(TINY)
        write_npy(self.path("x.npy"), "<f4", (4, 8, 3), [value for batch in batches for row in batch for value in row])
        write_npy(self.path("rate.npy"), "<f4", (4,), [0.5] * 4)
        train.NETS["tiny"] = {"step": "train", "batch": "B", "size": 8, "error": 1e-6, "graph": self.path("tiny.mlir")}
        expected = tiny_losses(batches, 0.5)
        for job in train.JOBS["lathe"][:4]:
            started, first = train.start("tiny", self.folder, job, BUILD, self.folder)
            self.jobs.append(started)
            if job[0] != "apart":
                self.assertLess(train.error_of(first["losses"], expected), 1e-6)
            self.assertEqual(started.ask("step 2")["runs"], 2)
            detail = started.ask("detail 1")
            # The mean of the gradient and that of the loss.
            self.assertEqual(detail["collectives"], 2 if job[0] == "ranks" else 0, json.dumps(detail))


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(1))
    unittest.main()
