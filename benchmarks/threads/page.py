"""The tables of docs/threads.md."""
import dataclasses
import math
import textwrap
from pathlib import Path

import limits
from partition import THREADS

FIRST, LAST = "<!-- threads -->\n", "<!-- end of threads -->\n"
WIDTH = 135  # of lines of text
SHOWN_LIMITS = 25
EMPTY = "empty"  # the row of an empty call, which does not count in means
# ns, as between cores that share a cache, on a machine that is not virtual.
SMALLER_COSTS = {"line": 50.0, "send": 20.0, "see": 75.0, "join": 120.0, "wake_call": 2000.0}
LEAST_LOSS = 0.03  # of the time of a row: smaller limits are not shown
WORDS = {"serial": "on one thread", "uneven": "idle threads", "cut": "dearer chunks", "pool": "the pool", "memory": "memory"}

CONDITIONS = """{cores} cores of {cpu} (family {family}, model {model}), commit {commit}{changed}, load {load} at the start. Costs of the \
pool in ns: {costs}. Memory: {bandwidth:g} GB/s for all cores, {cache:g} MB of caches."""


def line(cells):
    return f"| {' | '.join(cells)} |"


def table(head, body):
    return "\n".join([line(head), "|" + "---|" * len(head), *map(line, body)])


def milliseconds(ns):
    return f"{ns / 1e6:.3g}"


def microseconds(ns):
    return f"{ns / 1e3:.0f}" if ns >= 1e5 else f"{ns / 1e3:.3g}"


def percent(part):
    return f"{100 * part:+.0f} %"


def conditions(about, model):
    found, lathe = about["machine"], about["lathe"]
    costs = ", ".join(f"{name} {value:.3g}" for name, value in vars(model.costs).items())
    changed = f" with {lathe['changed_files']} changed files" if lathe["changed_files"] else ""
    text = CONDITIONS.format(**found, commit=(lathe["commit"] or "unknown")[:12], changed=changed, costs=costs, bandwidth=model.bandwidth,
                             cache=model.cache / 1e6)
    return textwrap.fill(text, WIDTH, break_on_hyphens=False)


def validation(rows):
    """Returns a table of measured and simulated times on the threads of this machine."""
    body = []
    for name, row in rows.items():
        cells = [name]
        for threads in (1, 2):
            measured, simulated = row.recorded["measured"][str(threads)]["ns"], row.time(threads)
            cells += [milliseconds(measured), milliseconds(simulated), percent(simulated / measured - 1)]
        body.append(cells)
    head = [f"{what}, {threads} thread{'s' * (threads > 1)}" for threads in (1, 2) for what in ("measured ms", "simulated ms", "difference")]
    return table(["", *head], body)


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def speed_ups(rows):
    """Returns a table of the speed-ups over one thread, with their geometric mean."""
    found = {name: [row.time(1) / row.time(threads) for threads in THREADS[1:]] for name, row in rows.items()}
    found["geometric mean"] = [mean(column) for column in zip(*(values for name, values in found.items() if name != EMPTY))]
    return table(["threads", *map(str, THREADS[1:])], [[name, *(f"{value:.1f}" for value in values)] for name, values in found.items()])


def means(rows, machine):
    """Returns a table of the geometric means of the speed-ups, by the costs here and by smaller ones."""
    body = []
    for title, smaller in (("as measured", {}), ("smaller", SMALLER_COSTS)):
        here = dataclasses.replace(machine, costs=dataclasses.replace(machine.costs, **smaller))
        again = [limits.Row(row.recorded, here) for name, row in rows.items() if name != EMPTY]
        values = [mean([row.time(1) / row.time(threads) for row in again]) for threads in THREADS[1:]]
        body.append([title, *(f"{value:.1f}" for value in values)])
    return table(["geometric means by costs", *map(str, THREADS[1:])], body)


def loss_text(limit, time):
    """Names the causes of a loss, as parts of a row's time."""
    parts = sorted(((ns / time, cause) for cause, ns in limit.lost.items()), reverse=True)
    return ", ".join(f"{WORDS[cause]} {100 * part:.0f} %" for part, cause in parts if part >= 0.01)


def largest_limits(rows, threads):
    """Returns a table of the kernels with the largest losses, as parts of their rows' times."""
    found = []
    for name, row in rows.items():
        time = row.time(threads)
        found += [(limit.total() / time, name, limit, time) for limit in limits.limits(row, threads)]
    found = sorted((entry for entry in found if entry[0] >= LEAST_LOSS), key=lambda entry: entry[0], reverse=True)[:SHOWN_LIMITS]
    body = [[name, limit.name, limit.form, str(limit.count) if limit.count else "-", str(limit.pieces) if limit.count else "-",
             str(limit.calls), microseconds(limit.alone), microseconds(limit.ns), loss_text(limit, time)]
            for _, name, limit, time in found]
    return table(["row", "kernel", "form", "items", "pieces", "calls", "us on 1 thread", f"us on {threads}", "lost, of the row's time"], body)


def content(rows, about, model):
    parts = [conditions(about, model), "### Measured and simulated", validation(rows), "### Speed-ups", means(rows, model),
             "Speed-ups, by costs as measured:", speed_ups(rows)]
    for threads in (16, 64):
        parts += [f"### What limits {threads} threads", largest_limits(rows, threads)]
    return "\n\n".join(parts) + "\n"


def write(text, path):
    """Writes between the markers of a page, or to standard output."""
    if not path:
        print(text, end="")
        return
    before, first, rest = Path(path).read_text().partition(FIRST)
    _, last, after = rest.partition(LAST)
    if not first or not last:
        raise SystemExit(f"{path}: expected the lines '{FIRST.strip()}' and '{LAST.strip()}'")
    Path(path).write_text(before + first + text + last + after)
