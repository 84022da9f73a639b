"""Measures the suite; benchmarks/suite/run starts it. Each row has one process a peer (worker.py); they take turns (turns.py)."""
import argparse
import contextlib
import datetime
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import machine
import results
import rows
import turns

HERE = Path(__file__).resolve().parent
LARGEST_ERROR = {"network": 1e-3, "kernel": 1e-3, "training": 1e-2, "quantized": 5e-2}
FAST_ERROR = 2e-2
PACKAGES = {"onnxruntime": "onnxruntime", "openvino": "openvino", "jax": "jax", "torch": "torch", "inductor": "torch"}


def environment(peer, folder, threads):
    number = str(threads)
    set_here = {"OMP_NUM_THREADS": number, "MKL_NUM_THREADS": number, "OPENBLAS_NUM_THREADS": number, "JAX_PLATFORMS": "cpu",
                "TORCHINDUCTOR_CACHE_DIR": os.path.join(folder, f"{peer}{threads}"), "TORCHINDUCTOR_COMPILE_THREADS": "1"}
    if threads == 1:
        set_here["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    return {**os.environ, **set_here}


def largest_error(row, peer):
    """Returns the largest error of a peer that is measured. ONNX Runtime is measured with any error where it multiplies bytes: on CPUs
    without VNNI its sums of pairs saturate. Under --math=fast Lathe rounds to bf16, eight bits, where the CPU multiplies them."""
    if row.kind == "quantized" and peer == "onnxruntime":
        return math.inf
    return max(LARGEST_ERROR[row.kind], FAST_ERROR if peer == "lathe_fast" else 0)


def load(workers, peers, row, folder, threads, log, script):
    """Starts the workers, processes of `script`, one after the other, so that none compiles while another does; keeps the sound ones.
    Returns an entry of each peer."""
    entries, cores = {}, sorted(os.sched_getaffinity(0))[:threads]
    for peer in peers:
        command = [sys.executable, "-B", str(script), peer, row.name, folder, str(threads)]
        workers[peer] = turns.Worker(command, environment(peer, folder, threads), cores, log)
        entries[peer] = {"peer": peer, "threads": threads, **workers[peer].receive()}
        error = entries[peer].get("error")
        if error is not None and not error <= largest_error(row, peer):
            entries[peer]["failed"] = f"results are {error:.1e} from the reference"
        if "failed" in entries[peer]:
            workers.pop(peer).end()
    return entries


def measure(row, threads, peers, folder, seconds, script=HERE / "worker.py"):
    with open(os.path.join(folder, f"log-{threads}.txt"), "w", encoding="utf-8") as log:
        workers = {}
        try:
            entries = load(workers, peers, row, folder, threads, log, script)
            turns.take_turns(workers, entries, seconds)
        finally:
            for worker in workers.values():
                worker.end()
    return list(entries.values())


def reference(row, folder):
    """Writes the row's model and expected results, and returns its shapes."""
    done = subprocess.run([sys.executable, "-B", str(HERE / "reference.py"), row.name, folder], stdout=subprocess.PIPE, text=True,
                          env=environment("reference", folder, 1), check=True)
    return {"name": row.name, "kind": row.kind, "optimizer": row.optimizer, **json.loads(done.stdout.splitlines()[-1])}


def timing_library(build, folder):
    """Returns a shared library with the runtime and the loop that times calls of entries."""
    path = os.path.join(folder, "libtiming.so")
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-shared", "-fPIC", str(HERE / "timing.c"), "-o", path, "-Wl,--whole-archive",
                    os.path.join(build, "lib/liblathe_runtime.a"), "-Wl,--no-whole-archive", "-lpthread"], check=True)
    return path


def available(peers):
    """Returns the peers that can be measured, and why the others cannot."""
    missing = {}
    for peer in peers:
        package = PACKAGES.get(peer)
        if package and subprocess.run([sys.executable, "-c", f"import {package}"], capture_output=True).returncode != 0:
            missing[peer] = f"the Python package '{package}' cannot be imported"
    return [peer for peer in peers if peer not in missing], missing


def line_of(row, threads, entries, seconds):
    cells = [f"{entry['peer']} {entry['median_ms']:.4g}" if "median_ms" in entry else f"{entry['peer']}: {entry['failed']}"
             for entry in entries]
    return f"{row.name}, {threads} thread{'s' if threads > 1 else ''} ({seconds:.0f} s), median ms: {', '.join(cells)}"


def suite(options, build, peers, missing, folder):
    found = {"format": results.FORMAT, "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
             "lathe": machine.built_from(build), "machine": machine.describe(), "versions": {}, "missing": missing,
             "settings": {"seconds": options.seconds, "slices": turns.SLICES, "threads": options.threads}, "rows": []}
    for row in rows.select(options.rows):
        place = os.path.join(folder, row.name)
        os.mkdir(place)
        entry = {**reference(row, place), "measured": []}
        found["rows"].append(entry)
        for threads in options.threads:
            begin = time.monotonic()
            able = [peer for peer in peers if row.kind != "training" or peer in rows.TRAINERS]
            entries = measure(row, threads, able, place, options.seconds)
            print(line_of(row, threads, entries, time.monotonic() - begin), flush=True)
            for part in entries:
                version = part.pop("version", None)
                if version:
                    found["versions"][part["peer"]] = version
            entry["measured"] += entries
            results.write(options.out, found)
        if not options.keep:
            shutil.rmtree(place)
    return found


def words(text):
    return [word for word in text.split(",") if word]


def check_peers_and_threads(parser, options, names):
    """Ends the program if a peer is not one of `names`, or the machine has not as many cores as threads are asked for."""
    unknown = [peer for peer in options.peers if peer not in names]
    if unknown:
        parser.error(f"there is no peer '{unknown[0]}'; expected one of {', '.join(names)}")
    cores = len(os.sched_getaffinity(0))
    if not options.threads or not 1 <= min(options.threads) <= max(options.threads) <= cores:
        parser.error(f"--threads must have numbers from 1 to {cores}, the number of cores")


def parse():
    parser = argparse.ArgumentParser(prog="run", description="Measures Lathe and its peers; docs/benchmarks.md says how.")
    parser.add_argument("--rows", type=words, default=[], metavar="PATTERN,...", help="parts of names, or kinds of rows (default: all)")
    parser.add_argument("--peers", type=words, default=list(results.NAMES), metavar="PEER,...", help=f"of {', '.join(results.NAMES)}")
    parser.add_argument("--threads", type=lambda text: [int(word) for word in words(text)], default=[1, 2], help="default: 1,2")
    parser.add_argument("--seconds", type=float, default=3.0, help="timed seconds a peer, row and number of threads (default: 3)")
    parser.add_argument("--out", default="suite.json", help="the file for the results (default: suite.json)")
    parser.add_argument("--keep", metavar="DIR", help="a new folder to keep models, libraries and logs in")
    options = parser.parse_args()
    check_peers_and_threads(parser, options, results.NAMES)
    if not rows.select(options.rows):
        parser.error(f"no row matches; the rows are {', '.join(row.name for row in rows.ROWS)}")
    return options


def main():
    options = parse()
    build = os.environ["LATHE_BUILD"]
    peers, missing = available(options.peers)
    for peer, reason in missing.items():
        print(f"{results.NAMES[peer]} is skipped: {reason}", flush=True)
    if options.keep:
        os.makedirs(options.keep)
    with contextlib.ExitStack() as stack:
        folder = options.keep or stack.enter_context(tempfile.TemporaryDirectory(prefix="lathe-suite-"))
        os.environ["LATHE_TIMING"] = timing_library(build, folder)
        found = suite(options, build, peers, missing, folder)
    failed = [f"{row['name']}: {results.NAMES[part['peer']]}: {part['failed']}" for row in found["rows"]
              for part in row["measured"] if "failed" in part]
    print("\n".join(["", *failed]) if failed else "", end="\n" if failed else "")
    sys.exit(any(" Lathe: " in text for text in failed))


if __name__ == "__main__":
    main()
