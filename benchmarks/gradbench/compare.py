"""compare.py LATHEC OUT ROUNDS SECONDS [PROGRAM...]: the table of benchmarks/gradbench/run. Writes OUT/gradbench.json and .md."""
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import peers  # noqa: E402, F401: it sets the number of threads before JAX is loaded
from compiled import Entry  # noqa: E402

import ctypes  # noqa: E402

import cpp  # noqa: E402
import numpy as np  # noqa: E402
import programs  # noqa: E402
import programs_jax  # noqa: E402

LATHEC, OUT, ROUNDS, SECONDS = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
TOLERANCE = 1e-8
FAR = 10  # a peer that takes so many times as long as the best has one turn only
# These compute no derivative of the program but a formula for it: the ODE's solution, and the mean of each centroid's points.
CLOSED = {("manual C++", "ode"), ("manual C++", "kmeans")}


def compiled(row):
    """The derivative at the row's sizes, as a call."""
    path, shared = os.path.join(OUT, row.program + ".mlir"), os.path.join(OUT, f"lib{row.stem}.so")
    with open(path, "w") as file:
        file.write(row.graph())
    dims = [f"--dim={name}={size}" for name, size in row.dims.items()]
    subprocess.run([LATHEC, path, "--emit=shared", "-o", shared, *dims], check=True, cwd=OUT)
    results = [np.zeros(shape) for shape in row.results]
    return Entry(ctypes.CDLL(shared), f"{row.program}_{row.entry}", list(row.given[0].values()), results)


def times_of(call):
    """In ms, of the calls that fit into SECONDS; three at least, the first left out."""
    times, end = [], time.perf_counter() + SECONDS
    while len(times) < 3 or time.perf_counter() < end:
        begin = time.perf_counter()
        call()
        times.append((time.perf_counter() - begin) * 1e3)
    return times[1:]


def error_of(found, expected):
    """The largest difference relative to the largest number of each array; a NaN if there is one."""
    return max(float(np.abs(a - b).max() / np.abs(b).max()) for a, b in zip(found, expected, strict=True))


def measure(row):
    arrays, given = row.given
    lathe = compiled(row)
    ours = [np.array(result) for result in lathe()]
    turns, errors = {"Lathe": lambda: times_of(lathe)}, {}
    for name, program in row.jax.items():
        call = programs_jax.call_of(program, arrays.values())
        errors[name] = error_of([np.asarray(result) for result in call()], ours)
        turns[name] = lambda call=call: times_of(call)
    file = os.path.join(OUT, row.stem + ".json")
    with open(file, "w") as output:
        json.dump(given, output)
    for name, binary in cpp.build(row.program, OUT).items():
        process = cpp.Process(binary, row.function, file)
        if (name, row.program) != ("manual C++", "ode"):  # which solves the ODE without steps: that is another number
            errors[name] = error_of(*row.form(process.run(0)[0], ours))
        turns[name] = lambda process=process: process.run(SECONDS)[1]
    for name, error in errors.items():
        if not error <= TOLERANCE:
            raise SystemExit(f"{row.name}: the derivative of {name} is off by {error:.1e}")
    times = {name: turn() for name, turn in turns.items()}
    best = min(map(min, times.values()))
    for _ in range(ROUNDS - 1):
        for name, turn in turns.items():
            if min(times[name]) <= FAR * best:
                times[name] += turn()
    return {"program": row.program, "variant": row.variant, "sizes": row.sizes, "errors": errors,
            "times": {name: {"least": min(all_), "median": statistics.median(all_)} for name, all_ in times.items()}}


def best_of(result):
    """The least time of a peer that derives, and its name."""
    fair = {name: time["least"] for name, time in result["times"].items() if name != "Lathe" and (name, result["program"]) not in CLOSED}
    return min((time, name) for name, time in fair.items())


def number(value):
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def line_of(result, columns):
    lathe, (best, by) = result["times"]["Lathe"], best_of(result)
    cells = [", ".join(filter(None, (result["program"], result["variant"]))), " ".join(f"{key}={value}" for key, value in result["sizes"].items()),
             number(lathe["least"]), number(lathe["median"])]
    for name in columns:
        time = result["times"].get(name)
        closed = " (formula)" if (name, result["program"]) in CLOSED else ""
        cells.append(f"{number(time['least'])}{closed}" if time else "-")
    return "| " + " | ".join(cells + [f"{best / lathe['least']:.2f}", by, f"{max(result['errors'].values()):.0e}"]) + " |"


def main():
    chosen = [row for row in programs.rows() if not sys.argv[5:] or row.program in sys.argv[5:]]
    results, columns = [], ["manual C++", "CoDiPack", "ADOL-C", "JAX", "JAX, direct"]
    head = ["program", "sizes", "Lathe ms", "median", *columns, "best / Lathe", "best", "off by"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    print("\n".join(lines), flush=True)
    for row in chosen:
        results.append(measure(row))
        lines.append(line_of(results[-1], columns))
        print(lines[-1], flush=True)
        with open(os.path.join(OUT, "gradbench.json"), "w") as file:  # after each row: an interrupted run keeps what it has
            json.dump(results, file, indent=1)
        with open(os.path.join(OUT, "gradbench.md"), "w") as file:
            file.write("\n".join(lines) + "\n")


main()
