"""Records rows and simulates them on more threads; benchmarks/threads/run starts it."""
import argparse
import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path

import library
import limits
import page
import schedule

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "suite"))
import machine  # noqa: E402: it is in another folder
import rows  # noqa: E402: the same

ENVIRONMENT = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def record(row, folder, recorder, seconds):
    """Records a row in a process of its own, on the first two cores."""
    place = folder / row.name
    place.mkdir(exist_ok=True)
    cores = sorted(os.sched_getaffinity(0))[:2]
    subprocess.run([sys.executable, "-B", str(HERE / "recording.py"), row.name, str(place), str(seconds)], check=True,
                   env={**os.environ, **ENVIRONMENT, "LATHE_TIMING": recorder}, preexec_fn=lambda: os.sched_setaffinity(0, cores))
    for large in ("model.onnx", "libsuite.so"):
        (place / large).unlink()


def measured_costs(folder, recorder):
    """Returns the costs of the pool, in a process of their own: this one has no numpy to load otherwise."""
    done = subprocess.run([sys.executable, "-B", str(HERE / "costs.py"), recorder], stdout=subprocess.PIPE, text=True, check=True)
    (folder / "machine.json").write_text(json.dumps({"costs": json.loads(done.stdout), "machine": machine.describe(),
                                                     "lathe": machine.built_from(os.environ["LATHE_BUILD"])}))


def cost(text):
    name, _, value = text.partition("=")
    if name not in (field.name for field in dataclasses.fields(schedule.Costs)):
        raise argparse.ArgumentTypeError(f"the pool has no cost '{name}'")
    return name, float(value)


def parse():
    parser = argparse.ArgumentParser(prog="run", description="Simulates the suite on up to 64 threads; docs/threads.md says how.")
    parser.add_argument("--rows", type=lambda text: [word for word in text.split(",") if word], default=[], metavar="PATTERN,...",
                        help="parts of names, or kinds of rows (default: all)")
    parser.add_argument("--seconds", type=float, default=4.0, help="the time to record a row, at least (default: 4)")
    parser.add_argument("--recorded", metavar="DIR", help="where recordings are kept; those that are there are not made again "
                        "(default: BUILD/benchmarks/threads)")
    parser.add_argument("--bandwidth", type=float, default=150.0, metavar="GB/s", help="of a socket's memory (default: 150)")
    parser.add_argument("--cache", type=float, default=32.0, metavar="MB", help="of caches that all cores share (default: 32)")
    parser.add_argument("--cost", type=cost, action="append", default=[], metavar="NAME=NS", help="a cost of the pool in place of the "
                        f"measured one: {', '.join(field.name for field in dataclasses.fields(schedule.Costs))}")
    parser.add_argument("--page", metavar="FILE.md", help="writes the tables between the markers of this page, not to standard output")
    options = parser.parse_args()
    if not rows.select(options.rows):
        parser.error(f"no row matches; the rows are {', '.join(row.name for row in rows.ROWS)}")
    return options


def main():
    options = parse()
    folder = Path(options.recorded or Path(os.environ["LATHE_BUILD"], "benchmarks/threads"))
    folder.mkdir(parents=True, exist_ok=True)
    recorder = None
    wanted = [row for row in rows.select(options.rows) if not (folder / row.name / "recorded.json").exists()]
    if wanted or not (folder / "machine.json").exists():
        recorder = library.build(os.environ["LATHE_BUILD"], folder)
    if not (folder / "machine.json").exists():
        measured_costs(folder, recorder)
    for row in wanted:
        print(f"recording {row.name}", file=sys.stderr, flush=True)
        record(row, folder, recorder, options.seconds)
    about = json.loads((folder / "machine.json").read_text())
    costs = schedule.Costs(**{**about["costs"], **dict(options.cost)})
    model = limits.Machine(costs, options.bandwidth, options.cache * 1e6)
    simulated = {row.name: limits.Row(json.loads((folder / row.name / "recorded.json").read_text()), model)
                 for row in rows.select(options.rows)}
    page.write(page.content(simulated, about, model), options.page)


if __name__ == "__main__":
    main()
