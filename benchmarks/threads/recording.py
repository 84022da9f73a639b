"""Records a row of benchmarks/suite in one process: recording.py ROW FOLDER SECONDS writes FOLDER/recorded.json.

The loops of an entry are run by the runtime's own pool with absent workers (recorder.c), for each number of threads. Between these calls, the entry is timed on one thread and on two."""
import ctypes
import json
import math
import os
import sys
import time
from pathlib import Path

import numpy as np
import partition
from partition import THREADS
from recorder import Recorder

SUITE = Path(__file__).resolve().parent.parent / "suite"
sys.path.append(str(SUITE))
import adapter_lathe  # noqa: E402: it is in another folder
import rows  # noqa: E402: the same
import stats  # noqa: E402: the same
import to_onnx  # noqa: E402: the same

LEAST_CALLS, MOST_CALLS = 5, 400
FASTEST = 0.25  # the part of the calls, the fastest ones, whose median counts


class Entry:
    """A compiled row that can be called with any context."""

    def __init__(self, row, folder, recorder):
        graph = row.build()
        to_onnx.save(graph, os.path.join(folder, "model.onnx"))
        self.adapter, self.recorder = adapter_lathe.Lathe(row, graph, folder, 1), recorder
        self.adapter.prepare()
        self.adapter.options.append("--report=report.json")
        self.adapter.build()
        self.adapter.load()
        library = ctypes.CDLL(os.path.join(folder, "libsuite.so"))
        library.suite_info.restype = ctypes.c_void_p
        self.kernels = recorder.shared_object.threads_kernels(ctypes.c_void_p(library.suite_info()), b"suite_run")
        self.function = ctypes.cast(self.adapter.entry.entry, ctypes.c_void_p)

    def use(self, context):
        self.adapter.reset()
        self.adapter.entry.args[len(self.adapter.entry.args) - 2] = context

    def record(self, threads, with_kernels=False):
        """Returns the duration, the events and the chunks of a call."""
        self.use(self.recorder.context(threads))
        recording = self.recorder.record(self.function, self.adapter.entry.args, threads, self.kernels, with_kernels)
        events, chunks = (np.ctypeslib.as_array(array) for array in (self.recorder.events, self.recorder.chunks))
        return recording.duration, events[:recording.event_count].copy(), chunks[:recording.chunk_count].copy()

    def times(self, threads, seconds):
        """Returns the ns of each call on threads that run."""
        self.use(self.recorder.context(threads, absent=False) if threads > 1 else None)
        self.adapter.times(seconds / 4, 1)
        return self.adapter.times(seconds, 3)


def layouts_of(entry):
    """Returns {threads: loops as lists of chunks}, and checks that the pool cuts loops as partition.py says. One call of each is not
    measured, so that the memory is warm."""
    found = {}
    for threads in THREADS:
        _, events, chunks = entry.record(threads)
        found[threads] = []
        for event in events:
            part = chunks[event["first"]:event["first"] + event["chunks"]]
            claimed = list(zip(part["begin"].tolist(), part["end"].tolist()))
            _, shares = partition.cut(*(int(event[key]) for key in ("count", "grain", "slots")), threads)
            if claimed != sum(shares, []):
                raise RuntimeError(f"the pool cuts a loop into {claimed}, partition.py into {sum(shares, [])}")
            found[threads].append(claimed)
    return found


def distinct(layouts):
    """Returns {threads: the first number of threads with the same chunks}."""
    known, same = {}, {}
    for threads, loops in layouts.items():
        same[threads] = known.setdefault(json.dumps([sorted(loop) for loop in loops]), threads)
    return same


def middle_of_fastest(durations, values):
    """Returns the medians of values, one line a call, over the calls that were fastest."""
    count = max(math.ceil(len(durations) * FASTEST), min(3, len(durations)))
    fastest = np.argsort(durations, kind="stable")[:count]
    return np.median(np.stack([values[number] for number in fastest]), axis=0)


class Calls:
    """The recorded calls of one layout, or those with a profile."""

    def __init__(self):
        self.durations, self.chunks, self.gaps, self.spans, self.events = [], [], [], [], None

    def add(self, duration, events, chunks):
        borders = np.concatenate([[0], np.stack([events["begin"], events["end"]], 1).ravel(), [duration]])
        self.durations.append(duration)
        self.gaps.append(np.diff(borders)[::2])
        self.spans.append(np.diff(borders)[1::2])
        self.chunks.append(chunks["ns"])
        self.events = events

    def middles(self, values, clock):
        """Returns the medians of one of the lists, without the time to read the clock."""
        return np.maximum(middle_of_fastest(self.durations, values) - clock, 0).round().astype(int).tolist()


def measure(entry, same, seconds):
    """Records calls and times others, in turns. Returns the calls of each distinct layout and those with a profile, and the times by
    threads."""
    calls = {key: Calls() for key in dict.fromkeys(same.values())}
    profile, timed = Calls(), {1: [], 2: []}
    end, turns = time.monotonic() + seconds, 0
    while turns < LEAST_CALLS or time.monotonic() < end and turns < MOST_CALLS:
        for key, into in calls.items():
            into.add(*entry.record(key))
        profile.add(*entry.record(1, with_kernels=True))
        if turns % 5 == 0 or turns < LEAST_CALLS:
            for threads, into in timed.items():
                into += entry.times(threads, seconds / 40)
        turns += 1
    return calls, profile, timed


def loops_of(entry):
    _, events, _ = entry.record(1)
    return [[int(event[name]) for name in ("count", "grain", "slots")] for event in events]


def recorded(entry, seconds, clock):
    """Returns what limits.py needs. A layout has the ns of all chunks, loop after loop in the order of claims; `layout_of`
    names one for each number of threads."""
    same = distinct(layouts_of(entry))
    calls, profile, timed = measure(entry, same, seconds)
    numbers = {key: number for number, key in enumerate(calls)}
    return {"gaps": calls[1].middles(calls[1].gaps, clock), "loops": loops_of(entry),
            "layouts": [made.middles(made.chunks, clock) for made in calls.values()],
            "layout_of": {threads: numbers[same[threads]] for threads in THREADS},
            "kernels": [{"row": int(event["row"]), "is_loop": bool(event["count"]), "ns": ns}
                        for event, ns in zip(profile.events, profile.middles(profile.spans, clock))],
            "measured": {threads: {"ns": stats.quantile(times, FASTEST / 2), "median_ns": stats.median(times), "least_ns": min(times),
                                   "calls": len(times)} for threads, times in timed.items()}}


def main(name, folder, seconds):
    recorder = Recorder(os.environ["LATHE_TIMING"])
    found = recorded(Entry(rows.find(name), folder, recorder), float(seconds), recorder.shared_object.threads_clock())
    found["version"] = next(version for version in json.loads(Path(folder, "report.json").read_text())["versions"]
                            if version["function"] == "run")
    Path(folder, "recorded.json").write_text(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
