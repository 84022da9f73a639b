"""Tests the simulation of benchmarks/threads: threads.py BUILD_DIR. The rules by which loops are cut are those of the runtime's pool; small
loops take the times that follow from the rules by hand."""
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "benchmarks/threads"))
import library  # noqa: E402: after the path
import limits  # noqa: E402: the same
import memory  # noqa: E402: the same
import page  # noqa: E402: the same
import partition  # noqa: E402: the same
import recorder  # noqa: E402: the same
import schedule  # noqa: E402: the same

BUILD = sys.argv.pop(1)
FREE = schedule.Costs()


def even_loop(threads, count, ns=10.0, costs=FREE, grain=1, slots=64):
    """Returns the ns of a first loop of equal items."""
    _, shares = partition.cut(count, grain, slots, threads)
    times = {(begin, end): ns * (end - begin) for share in shares for begin, end in share}
    return schedule.Pool(threads, costs).loop(count, grain, slots, times, 0.0)


class Partition(unittest.TestCase):
    def test_a_team_of_one_has_one_chunk(self):
        self.assertEqual(partition.cut(100, 1, 16, 1), (1, [[(0, 100)]]))
        self.assertEqual(partition.cut(100, 1, 1, 8), (1, [[(0, 100)]]))
        self.assertEqual(partition.cut(100, 100, 16, 8), (1, [[(0, 100)]]))

    def test_shares_are_neighbours_and_the_last_piece_is_short(self):
        self.assertEqual(partition.cut(10, 3, 16, 2), (2, [[(0, 3), (3, 6)], [(6, 9), (9, 10)]]))

    def test_a_loop_of_many_pieces_has_larger_chunks(self):
        _, shares = partition.cut(128, 1, 16, 2)
        self.assertEqual(shares[0][:2], [(0, 4), (4, 8)])
        self.assertEqual(sum(map(len, shares)), 32)

    def test_the_pool_follows_the_same_rules(self):
        with tempfile.TemporaryDirectory() as folder:
            found = recorder.Recorder(library.build(BUILD, folder))
            for threads in partition.THREADS:
                for count in (1, 2, 7, 31, 32, 33, 352, 4099):
                    for grain in (1, 3, 16, 5000):
                        for slots in (1, 5, 16, 1 << 20):
                            loop = (count, grain, slots)
                            _, shares = partition.cut(*loop, threads)
                            self.assertEqual(found.cut(*loop, threads), sum(shares, []), (loop, threads))


class Schedule(unittest.TestCase):
    def test_equal_chunks_take_whole_rounds(self):
        self.assertEqual(even_loop(2, 4), 20.0)
        self.assertEqual(even_loop(2, 5), 30.0)
        self.assertEqual(even_loop(16, 17), 20.0)

    def test_slots_limit_the_threads(self):
        self.assertEqual(even_loop(64, 32, slots=16), 20.0)

    def test_a_thread_without_a_chunk_takes_one_of_another_share(self):
        times = {(0, 1): 50.0, (1, 2): 10.0, (2, 3): 10.0, (3, 4): 10.0}
        self.assertEqual(schedule.Pool(2, FREE).loop(4, 1, 64, times, 0.0), 50.0)

    def test_workers_that_sleep_take_longer_to_begin(self):
        costs = schedule.Costs(setup=1.0, send=2.0, see=3.0, wake_call=20.0, wake=30.0, join=5.0, spin=100.0)
        pool = schedule.Pool(2, costs)
        times = {(0, 1): 10.0, (1, 2): 10.0}
        asleep = pool.loop(2, 1, 64, times, 0.0)
        self.assertEqual(asleep, 1.0 + 20.0 + 10.0 + 10.0)  # the caller does both chunks and takes the mail back
        pool.idle_since[1] = 1000.0
        self.assertEqual(pool.loop(2, 1, 64, times, 1050.0), 1050.0 + 1.0 + 2.0 + 3.0 + 10.0 + 5.0)

    def test_claims_of_one_share_come_one_after_the_other(self):
        costs = schedule.Costs(line=4.0)
        times = {(i, i + 1): 10.0 for i in range(16)}
        ends = schedule.Pool(16, costs).work(16, partition.cut(16, 1, 64, 16)[1], times, 0.0)
        # Two threads begin with each of the eight shares. The first one claims for nothing, the second one waits for its line. All
        # look at the other shares without finding more, and at the mail of the workers that they woke.
        self.assertEqual(ends[7], 10.0 + 8 * 4.0)
        self.assertEqual(ends[15], 14.0 + 6 * 4.0)
        self.assertLessEqual(max(ends.values()), 14.0 + 10 * 4.0)

    def test_threads_wake_each_other_in_a_tree(self):
        costs = schedule.Costs(wake_call=10.0, wake=20.0, spin=100.0)
        times = {(i, i + 1): 1000.0 for i in range(7)}
        ends = schedule.Pool(7, costs).work(7, partition.cut(7, 1, 64, 7)[1], times, 0.0)
        # The caller wakes 1 and 2, 1 wakes 3 and 4, 2 wakes 5 and 6, each before its chunk.
        self.assertEqual(ends, {0: 1020.0, 1: 1050.0, 2: 1060.0, 3: 1060.0, 4: 1070.0, 5: 1070.0, 6: 1080.0})

    def test_mail_is_taken_back_from_those_who_have_not_begun(self):
        costs = schedule.Costs(wake_call=10.0, wake=500.0, spin=100.0)
        times = {(i, i + 1): 10.0 for i in range(7)}
        pool = schedule.Pool(7, costs)
        self.assertEqual(pool.work(7, partition.cut(7, 1, 64, 7)[1], times, 0.0), {0: 20.0 + 70.0})
        self.assertEqual(pool.idle_since[:4], [schedule.NEVER, 510.0, 520.0, schedule.NEVER])

    def test_answers_come_one_after_the_other(self):
        pool = schedule.Pool(4, schedule.Costs(line=2.0, join=5.0))
        self.assertEqual(pool.end({0: 0.0, 1: 50.0, 2: 50.0, 3: 50.0}), 50.0 + 3 * 2.0 + 5.0 - 2.0)


class Memory(unittest.TestCase):
    VERSION = {"tensors": [{"bytes": 60}, {"bytes": 30}, {"bytes": 40}],
               "kernels": [{"reads": [0], "writes": [1], "ops": []}, {"reads": [1], "writes": [2], "ops": []}]}

    def test_what_fits_comes_from_the_cache(self):
        self.assertEqual(memory.bytes_from_memory(self.VERSION, [0, 1], 130), [0, 0])

    def test_the_least_recently_used_tensor_is_dropped(self):
        # The second call finds the tensors 1 and 2. Tensor 0 takes the place of 1, 1 that of 2, and 2 that of 0.
        self.assertEqual(memory.bytes_from_memory(self.VERSION, [0, 1], 100), [90, 40])

    def test_a_gather_reads_what_it_writes(self):
        kernel = {"reads": [0], "writes": [1], "ops": [{"op": "lathe.gather"}]}
        self.assertEqual(memory.touched(kernel, self.VERSION["tensors"]), [(0, 30), (1, 30)])


def recorded(gaps, loops, layouts):
    """Returns a recording of loops with one kernel each; `layouts` has the chunks' times on one thread and on all others."""
    kernel = {"op": "lathe.add", "fused": "lathe.mul", "type": "f32[8]", "schedules": [{"schedule": "loops {lanes = 8}"}],
              "reads": [], "writes": [], "ops": []}
    return {"gaps": gaps, "layouts": layouts, "version": {"kernels": [kernel], "tensors": []},
            "kernels": [{"row": 0, "is_loop": True, "ns": 1} for _ in loops],
            "loops": loops, "layout_of": {str(threads): int(threads > 1) for threads in partition.THREADS},
            "measured": {"1": {"ns": 50.0}, "2": {"ns": 40.0}}}


class Limits(unittest.TestCase):
    MACHINE = limits.Machine(FREE, 150.0, 1e6)

    def row(self):
        return limits.Row(recorded([6.0, 4.0], [[4, 1, 16]], [[40], [10, 10, 10, 10]]), self.MACHINE)

    def test_times_are_those_of_gaps_and_loops(self):
        self.assertEqual([self.row().time(threads) for threads in (1, 2, 4, 64)], [50.0, 30.0, 20.0, 20.0])

    def test_losses_have_causes(self):
        loop, entry = limits.limits(self.row(), 8)[::-1]
        self.assertEqual((entry.name, entry.lost["serial"]), ("the entry", 10.0 - 10.0 / 8))
        self.assertEqual((loop.name, loop.form, loop.count), ("add + mul f32[8]", "loops", 4))
        self.assertEqual(loop.lost, {"serial": 0.0, "uneven": 10.0 - 5.0, "cut": 0.0, "pool": 0.0, "memory": 0.0})

    def test_losses_add_up_to_the_time_beyond_an_even_share(self):
        costs = schedule.Costs(setup=1.0, send=2.0, see=3.0, claim=0.5, line=1.0, join=4.0)
        row = limits.Row(recorded([6.0, 4.0], [[7, 1, 16]], [[70], [11, 12, 13, 11, 12, 13, 11]]), limits.Machine(costs, 150.0, 1e6))
        lost = sum(limit.total() for limit in limits.limits(row, 4))
        self.assertAlmostEqual(lost, row.time(4) - row.time(1) / 4)

    def test_the_page_has_the_tables_between_its_markers(self):
        about = {"machine": {"cores": 2, "cpu": "c", "family": "1", "model": "2", "load": 0.0}, "lathe": {"commit": "c0", "changed_files": 0}}
        text = page.content({"net": self.row()}, about, self.MACHINE)
        self.assertIn("| net | 5e-05 | 5e-05 | +0 % | 4e-05 | 3e-05 | -25 % |", text)
        self.assertIn("| net | 1.7 | 2.5 | 2.5 | 2.5 | 2.5 | 2.5 |", text)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "page.md")
            path.write_text("before\n" + page.FIRST + "old\n" + page.LAST + "after\n")
            page.write("new\n", path)
            self.assertEqual(path.read_text(), "before\n" + page.FIRST + "new\n" + page.LAST + "after\n")


if __name__ == "__main__":
    unittest.main()
