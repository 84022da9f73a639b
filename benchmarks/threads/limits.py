"""Simulates a recorded row on any number of threads, and says where the time goes that the threads lose."""
import dataclasses
import functools

import memory
import partition
import schedule

# Causes of lost time. "serial": kernels on the calling thread; "uneven": threads without a chunk while others still work; "cut":
# chunks that take longer than their whole, or shorter; "pool": the pool's own time; "memory": the bandwidth of memory.
CAUSES = ("serial", "uneven", "cut", "pool", "memory")


CALLS = 10  # the last one finds workers as calls leave them: each call of a short loop wakes one more level of the tree


@dataclasses.dataclass
class Machine:
    costs: schedule.Costs
    bandwidth: float  # of memory, bytes per ns
    cache: float      # bytes that the caches hold


@dataclasses.dataclass
class Part:
    """A parallel loop, or what is between two loops. `lost` has the ns beyond an even share for each thread, by cause."""
    number: int
    count: int = 0   # work items; 0 between loops
    pieces: int = 0  # of the loop, before threads claim several at once
    alone: float = 0.0  # ns on one thread
    ns: float = 0.0
    lost: dict = dataclasses.field(default_factory=dict)


class Row:
    """A row as recording.py wrote it, on a machine."""

    def __init__(self, recorded, machine):
        self.recorded, self.machine = recorded, machine
        self.evens = {}  # by threads, loop and identity of its times, which `loops` keeps
        self.kernels = recorded["version"]["kernels"]
        self.loop_rows = [kernel["row"] for kernel in recorded["kernels"] if kernel["is_loop"]]
        self.serial = [[]]  # (row, ns) of the kernels before each loop and after the last
        for kernel in recorded["kernels"]:
            if kernel["is_loop"]:
                self.serial.append([])
            else:
                self.serial[-1].append((kernel["row"], kernel["ns"]))
        missed = memory.bytes_from_memory(recorded["version"], [kernel["row"] for kernel in recorded["kernels"]], machine.cache)
        self.least = [size / machine.bandwidth for size, kernel in zip(missed, recorded["kernels"]) if kernel["is_loop"]]

    @functools.cache
    def loops(self, threads):
        """Returns [(count, grain, slots), ns by chunk] of each loop."""
        times = iter(self.recorded["layouts"][self.recorded["layout_of"][str(threads)]])
        return [(tuple(loop), {chunk: next(times) for share in partition.cut(*loop, threads)[1] for chunk in share})
                for loop in self.recorded["loops"]]

    def even(self, threads, loop, times):
        """Returns the ns of a loop without costs of the pool."""
        key = (threads, loop, id(times))
        if key not in self.evens:
            self.evens[key] = schedule.Pool(threads, schedule.Costs()).loop(*loop, times, 0.0)
        return self.evens[key]

    def loop_part(self, number, loop, times, alone, pool, now):
        """Simulates a loop that begins now."""
        part = Part(number, loop[0], partition.pieces_of(*loop[:2]), alone)
        busy = pool.loop(*loop, times, now) - now
        even = self.even(pool.threads, loop, times)
        part.ns = max(busy, self.least[number] if pool.threads > 1 else 0.0)
        part.lost = {"uneven": even - sum(times.values()) / pool.threads, "cut": (sum(times.values()) - alone) / pool.threads,
                     "pool": busy - even, "memory": part.ns - busy}
        return part

    def simulate(self, threads):
        """Returns the parts of a call that follows others."""
        pool = schedule.Pool(threads, self.machine.costs)
        loops = self.loops(threads)
        alone = [sum(times.values()) for _, times in self.loops(1)]
        now, parts = 0.0, []
        for _ in range(CALLS):
            parts = []
            for number, gap in enumerate(self.recorded["gaps"]):
                parts.append(Part(number, alone=gap, ns=gap, lost={"serial": gap - gap / threads}))
                now += gap
                if number < len(alone):
                    loop, times = loops[number]
                    parts.append(self.loop_part(number, loop, times, alone[number], pool, now))
                    now += parts[-1].ns
        return parts

    def time(self, threads):
        return sum(part.ns for part in self.simulate(threads))

    def shares(self, part):
        """Returns (row of a kernel, its share of the part). Of what is between loops, the rest is the entry's own, with the row None."""
        if part.count:
            return [(self.loop_rows[part.number], 1.0)]
        kernels = self.serial[part.number]
        total = max(sum(ns for _, ns in kernels), part.alone, 1.0)
        shares = [(row, ns / total) for row, ns in kernels]
        return [*shares, (None, 1 - sum(share for _, share in shares))]


def kernel_name(kernel):
    """Returns the name of a kernel of a report: its op, the ops fused into it, and its type."""
    fused = [name.removeprefix("lathe.") for name in kernel["fused"].split()]
    more = f" + {len(fused)} ops" if len(fused) > 2 else "".join(f" + {name}" for name in fused)
    return f"{kernel['op'].removeprefix('lathe.')}{more} {kernel['type']}".strip()


def form_of(kernel):
    """Returns the form of a kernel's schedule, such as "contraction"."""
    for entry in kernel["schedules"]:
        return entry["schedule"].partition(" ")[0]
    return ""


@dataclasses.dataclass
class Limit:
    """Equal kernels of a row, and what they lose on some threads. `row` is a kernel of them; None for the entry's own time."""
    row: int | None
    name: str
    form: str
    count: int
    pieces: int
    calls: int = 0
    alone: float = 0.0
    ns: float = 0.0
    lost: dict = dataclasses.field(default_factory=lambda: dict.fromkeys(CAUSES, 0.0))

    def total(self):
        return sum(self.lost.values())

    def add(self, part, share):
        self.calls += 1
        self.alone += part.alone * share
        self.ns += part.ns * share
        for cause, ns in part.lost.items():
            self.lost[cause] += ns * share


def limits(row, threads):
    """Returns the limits of a row, the largest first."""
    found = {}
    for part in row.simulate(threads):
        for number, share in row.shares(part):
            kernel = row.kernels[number] if number is not None else None
            name, form = (kernel_name(kernel), form_of(kernel)) if kernel else ("the entry", "")
            key = (name, form, part.count, part.pieces)
            found.setdefault(key, Limit(number, *key)).add(part, share)
    return sorted(found.values(), key=Limit.total, reverse=True)
