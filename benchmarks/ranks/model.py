"""Compares expected and measured times of the exchanges of training steps; called by benchmarks/ranks/model, which lists the options.

Collectives are measured first (benchmarks/ranks/run). A line through the least times of an all_gather by its bytes gives latency and
bandwidth: on two ranks, each sends one message to the other. Then a job of each form of each net runs the collectives of one step, one
after the other, after a barrier, and lathec says how long it expects them to take. The least times are compared."""
import argparse
import datetime
import json
import os
import re
import subprocess

import train
from train_jobs import Job

RANKS = 2
FORMS = ("ranks", "zero", "zero-parameters")
SMALL, LARGE = 8, 1 << 18  # bytes of an all_gather: the latency, and the size of common gradients


def measured_link(lines):
    """Returns latency in us and GB/s from the lines of benchmarks/ranks/run."""
    times = {entry["bytes"]: entry["least_us"] for entry in lines
             if entry.get("transport") == "mpi" and entry["collective"] == "all_gather" and entry["ranks"] == RANKS}
    sent = (LARGE - SMALL) / RANKS
    return {"latency_us": times[SMALL], "gb_per_s": sent / (times[LARGE] - times[SMALL]) * 1e-3}


def cluster_file(lines, net, folder):
    facts, link = train.NETS[net], measured_link(lines)
    path = os.path.join(folder, "cluster.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"ranks_per_node": RANKS, "inside": link, "between": link, "ranks": [RANKS],
                   "sizes": {facts["batch"]: facts["size"] // RANKS}}, file)
    return path


def expected_ms(net, form, cluster, build):
    """Returns the time that lathec expects the exchanges of the step to take."""
    graph = os.path.join(train.ROOT, "examples", net, net + ".mlir")
    text = subprocess.run([os.path.join(build, "bin", "lathec"), graph, *train.options_of(net, form, RANKS), f"--cluster={cluster}",
                           "--explain", "--emit=none"], check=True, capture_output=True, text=True).stderr
    step = train.NETS[net]["step"]
    return float(re.search(rf"@{step}: on {RANKS} ranks .* of ([0-9.e+-]+) that exchanges take", text)[1])


def measure(net, form, folder, rounds, build, out):
    program = train.program_of(net, form, RANKS, build, out)
    job = Job.of_mpi([program, folder], os.path.join(folder, f"model-{form}"), RANKS)
    try:
        job.receive()
        job.ask(f"exchanges {rounds}")  # warms up
        return job.ask(f"exchanges {rounds}")
    finally:
        job.end()


def main():
    parser = argparse.ArgumentParser(prog="benchmarks/ranks/model")
    parser.add_argument("--nets", type=train.names_among(train.NETS), default=list(train.NETS), metavar="NET,...")
    parser.add_argument("--rounds", type=int, default=400, metavar="N", help="of the collectives of a step")
    parser.add_argument("--out", metavar="FILE.json", help="the results")
    options = parser.parse_args()
    build = os.environ["LATHE_BUILD"]
    out = os.path.join(build, "benchmarks", "ranks-train")
    text = subprocess.run([os.path.join(train.HERE, "run"), str(RANKS)], check=True, capture_output=True, text=True).stdout
    lines = [json.loads(line) for line in text.splitlines()]
    found = {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"), "machine": lines[0],
             "link": measured_link(lines), "steps": []}
    for net in options.nets:
        folder = os.path.join(out, net)
        os.makedirs(folder, exist_ok=True)
        train.write_inputs(net, folder)
        cluster = cluster_file(lines, net, folder)
        for form in FORMS:
            expected = expected_ms(net, form, cluster, build)
            load = round(os.getloadavg()[0], 2)
            taken = measure(net, form, folder, options.rounds, build, out)
            found["steps"].append({"net": net, "form": form, "load": load, "expected_ms": expected, **taken,
                                   "expected_of_least": round(expected / taken["least_ms"], 3)})
            print(json.dumps(found["steps"][-1]))
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            json.dump(found, file, indent=1)


if __name__ == "__main__":
    main()
