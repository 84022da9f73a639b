"""Measures what the pool costs on this machine (costs.c), as schedule.Costs."""
import ctypes
import dataclasses
import json
import statistics
import sys

import recorder
import schedule

TURNS, RUNS = 5, 2000
LEAST = 10  # loops of which a tenth can be taken
PAUSES = {"awake": 20_000, "asleep": 1_000_000}  # ns between loops, after which workers spin or sleep
BUSY = {"awake": 5_000, "asleep": 200_000}  # ns of the caller's chunk, long enough for the worker to begin one


class Times(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ("caller_begins", "worker_begins", "worker_ends", "returns")]


def loops(library, context, state, runs):
    """Returns the times of loops of two chunks in which each thread did one; of all loops if the workers are absent."""
    times = (Times * runs)()
    library.threads_loops(ctypes.c_void_p(context), ctypes.c_int64(runs), ctypes.c_int64(PAUSES[state]), ctypes.c_int64(BUSY[state]), times)
    shared = [one for one in times if one.worker_ends > 0 and one.caller_begins > 0]
    if shared and len(shared) < LEAST:
        raise SystemExit("the machine is too busy to measure what the pool costs")
    return shared or list(times)


def measure(found):
    """Returns the costs by a Recorder, each the least of some turns."""
    turns = [dataclasses.asdict(measure_once(found)) for _ in range(TURNS)]
    return schedule.Costs(**{name: min(turn[name] for turn in turns) for name in turns[0]})


def measure_once(found):
    library = found.shared_object
    absent = found.context(2)
    alone = loops(library, absent, "awake", RUNS)
    awake = loops(library, found.context(2, absent=False), "awake", RUNS)
    asleep = loops(library, found.context(2, absent=False), "asleep", RUNS // 10)
    clock = library.threads_clock()

    def least(times, what):
        """Returns a time that a tenth of the loops stay below, so that other programs do not count."""
        return statistics.quantiles((what(one) for one in times), n=10)[0]
    setup = max(least(alone, lambda one: one.caller_begins) - clock, 0.0)
    few, many = (library.threads_empty_loop(ctypes.c_void_p(absent), ctypes.c_int64(count)) for count in (2, 32))
    return schedule.Costs(setup=setup, send=max(least(awake, lambda one: one.caller_begins) - clock - setup, 0.0),
                          see=least(awake, lambda one: one.worker_begins - one.caller_begins),
                          wake_call=max(least(asleep, lambda one: one.caller_begins) - clock - setup, 0.0),
                          wake=least(asleep, lambda one: one.worker_begins - one.caller_begins), claim=(many - few) / 30,
                          line=min(library.threads_line() for _ in range(5)),
                          join=least(awake, lambda one: one.returns - one.worker_ends))


if __name__ == "__main__":
    print(json.dumps(dataclasses.asdict(measure(recorder.Recorder(sys.argv[1])))))
