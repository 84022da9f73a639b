"""Measures training steps of jobs of ranks in turns; called by benchmarks/ranks/train, which lists the options.

Each job is measured in slices of whole steps. The other jobs wait for a command meanwhile, in a read that takes no processor time.
docs/ranks.md shows the results."""
import argparse
import datetime
import importlib.metadata
import json
import os
import random
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path += [os.path.join(ROOT, "benchmarks", "suite"), os.path.join(ROOT, "examples", "common"), HERE]
import machine  # noqa: E402: after the path
import results  # noqa: E402
import stats  # noqa: E402
from npy import read_npy, write_npy  # noqa: E402
from train_jobs import Job  # noqa: E402

STEPS = 8  # whose losses are compared
SLICES, LEAST = 5, 3  # of a job; steps of a slice
PASSES = 10  # steps whose kernels and collectives are timed
NETS = {"transformer": {"step": "train", "batch": "B", "size": 32, "error": 1e-3},
        "digits": {"step": "train_step", "batch": "N", "size": 64, "error": 1e-4}}
SHARDED = {"zero": "data", "zero-parameters": "data:parameters"}  # values of --shard-state
# Name, ranks, and the form of the object. "apart" are two processes that have half of the batch each, and do not communicate: what
# the machine allows.
JOBS = {"lathe": [("single", 1, "single"), ("ranks", 1, "ranks"), ("ranks", 2, "ranks"), ("apart", 2, "single"),
                  *((form, 2, form) for form in SHARDED)],
        "torch": [("torch", 1, None), ("torch", 2, None)], "jax": [("jax", 1, None), ("jax", 2, None)]}


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


# ---- Inputs and programs ----

def write_inputs(net, folder):
    """Writes the batches of STEPS steps and their learning rates: NAME.npy for each input of the net's step."""
    size = NETS[net]["size"]
    if net == "transformer":
        run(sys.executable, "-B", os.path.join(ROOT, "examples", "chars", "text.py"), folder)
        _, text = read_npy(os.path.join(folder, "train.npy"))
        draw = random.Random(1)
        places = [draw.randrange(len(text) - 64) for _ in range(STEPS * size)]
        write_npy(os.path.join(folder, "text.npy"), "<i4", (STEPS, size, 65), [text[at + i] for at in places for i in range(65)])
        write_npy(os.path.join(folder, "rate.npy"), "<f4", (STEPS,), [2e-3 * (step + 1) / 20 for step in range(STEPS)])
        return
    run(sys.executable, "-B", os.path.join(ROOT, "examples", "digits", "prepare.py"), folder)
    for source, name, kind, width in (("images", "image", "<f4", 256), ("labels", "label", "<i4", 1)):
        shape, values = read_npy(os.path.join(folder, source + ".npy"))
        write_npy(os.path.join(folder, name + ".npy"), kind, (STEPS, size, *shape[1:]), values[:STEPS * size * width])
    # A larger rate makes rounding errors grow within these steps: Adam divides gradients by their own size.
    write_npy(os.path.join(folder, "learning_rate.npy"), "<f4", (STEPS,), [1e-4] * STEPS)


def options_of(net, form, ranks):
    """Returns the options of lathec. The batch of a rank has a version of its own, as peers compile for one size."""
    facts = NETS[net]
    sizes = [facts["size"] // count for count in (4, 2, 1)]
    options = [f"--specialize={facts['batch']}={','.join(map(str, sizes))}", f"--entry=init,{facts['step']}"]
    if form != "single":
        options.append(f"--shard={facts['step']}:{facts['batch']}@data")
    if form in SHARDED:
        options += [f"--axis=data={ranks}", f"--shard-state={SHARDED[form]}"]
    return options


def is_current(program, *sources):
    return os.path.exists(program) and all(os.path.getmtime(program) > os.path.getmtime(source) for source in sources)


def program_of(net, form, ranks, build, out):
    """Compiles a form of the net for some ranks with its program, unless that is there, and returns the program's path."""
    folder = os.path.join(out, f"{net}-{form}-{ranks}" if form in SHARDED else f"{net}-{form}")
    program = os.path.join(folder, "steps")
    graph = NETS[net].get("graph", os.path.join(ROOT, "examples", net, net + ".mlir"))
    lathec, source = os.path.join(build, "bin", "lathec"), os.path.join(HERE, "train_steps.c")
    if is_current(program, lathec, graph, source):
        return program
    os.makedirs(folder, exist_ok=True)
    run(lathec, graph, *options_of(net, form, ranks), "-o", os.path.join(folder, net + ".o"))
    library = os.path.join(build, "lib")
    run(os.environ.get("CC", "cc"), "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-O2", "-Wall", "-Wextra", f"-I{ROOT}/include",
        f"-DINFO={net}_info", f"-DTRAIN={NETS[net]['step']}", source, os.path.join(folder, net + ".o"), f"-L{library}",
        f"-Wl,-rpath,{library}", "-llathe_mpi", os.path.join(library, "liblathe_runtime.a"), "-lpthread", "-lm", "-o", program)
    return program


# ---- Measurement ----

def start(net, folder, job, build, out):
    """Starts a job of JOBS, and returns it with its first answer."""
    name, ranks, form = job
    commands, state = os.path.join(folder, f"{name}-{ranks}"), os.path.join(folder, "initial.safetensors")
    if form is None:
        started = Job.of_peer(os.path.join(HERE, f"train_{name}.py"), [net, folder, state], commands, ranks)
    elif form == "single":
        extra = [state] if ranks == 1 else []
        started = Job.of_processes([program_of(net, form, ranks, build, out), folder], commands, ranks, extra)
    else:
        started = Job.of_mpi([program_of(net, form, ranks, build, out), folder], commands, ranks)
    return started, started.receive()


def error_of(losses, expected):
    return max(abs(ours - theirs) / abs(theirs) for ours, theirs in zip(losses, expected, strict=True))


def state_bytes(net, folder, build, out):
    """Returns the bytes of a rank's state for each form that divides it and numbers of ranks, with the first losses."""
    found = []
    for form in SHARDED:
        for ranks in (2, 4):
            job, first = start(net, folder, (form, ranks, form), build, out)
            job.end()
            found.append({"form": form, "ranks": ranks, "bytes": first["state_bytes"], "losses": first["losses"]})
    return found


def measure(jobs, entries, seconds):
    """Measures the jobs in slices. Each round starts with another job, so that none always follows the same."""
    counts, slices, names = {}, {name: [] for name in jobs}, list(jobs)
    for name, job in jobs.items():  # warms up
        median = stats.median(job.ask(f"step {LEAST}")["times"])
        counts[name] = min(max(LEAST, round(seconds / SLICES / (median * 1e-9))), 4000)
    for number in range(SLICES):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            slices[name].append(jobs[name].ask(f"step {counts[name]}"))
    for name in names:
        entries[name].update(stats.summary(slices[name]))


def measure_net(net, options, build, out):
    folder = os.path.join(out, net)
    os.makedirs(folder, exist_ok=True)
    write_inputs(net, folder)
    jobs, entries, expected = {}, {}, None
    try:
        for peer in ["lathe", *(peer for peer in options.peers if peer != "lathe")]:
            for name, ranks, form in JOBS[peer]:
                key = name, ranks
                jobs[key], first = start(net, folder, (name, ranks, form), build, out)
                expected = expected or first["losses"]
                error = None if name == "apart" else error_of(first["losses"], expected)
                if error is not None and not error <= NETS[net]["error"]:
                    raise SystemExit(f"{net}: the losses of {name} on {ranks} ranks are {error:.1e} from Lathe's on one")
                entries[key] = {"job": name, "ranks": ranks, "error": error, **{k: v for k, v in first.items() if k != "losses"}}
                print(f"{net}: {name}, {ranks} ranks: ready, losses within {error}", file=sys.stderr)
        load = round(os.getloadavg()[0], 2)  # the average number of processes that run or wait
        measure(jobs, entries, options.seconds)
        for key in (("single", 1), ("ranks", 1), ("ranks", 2), *((form, 2) for form in SHARDED)):
            entries[key]["detail"] = jobs[key].ask(f"detail {PASSES}")
    finally:
        for job in jobs.values():
            job.end()
    state = state_bytes(net, folder, build, out)
    for entry in state:
        entry["error"] = error_of(entry.pop("losses"), expected)
    return {"name": net, "batch": NETS[net]["size"], "load": load, "measured": list(entries.values()), "state": state}


# ---- Results ----

def versions():
    found = {package: importlib.metadata.version(package) for package in ("numpy", "jax", "torch")}
    text = subprocess.run(["mpirun", "--version"], capture_output=True, text=True, check=True).stdout
    return {**found, "mpi": re.sub(r"^mpirun \((.*)\) ", r"\1 ", text.splitlines()[0])}


def table(found):
    """Returns the table of docs/ranks.md."""
    lines = ["| net | job | ranks | least ms | median ms | times as fast as one rank |", "|---|---|---|---|---|---|"]
    for net in found["nets"]:
        one = {entry["job"]: entry["minimum_ms"] for entry in net["measured"] if entry["ranks"] == 1}
        for entry in net["measured"]:
            base = one.get(entry["job"], one["single"])
            faster = "" if entry["ranks"] == 1 else f"{base / entry['minimum_ms']:.2f}"
            lines.append(f"| {net['name']} | {entry['job']} | {entry['ranks']} | {entry['minimum_ms']:.1f} | {entry['median_ms']:.1f} "
                         f"| {faster} |")
    return "\n".join(lines)


def names_among(known):
    def parse(text):
        names = text.split(",")
        wrong = [name for name in names if name not in known]
        if wrong:
            raise argparse.ArgumentTypeError(f"'{wrong[0]}' is not one of {', '.join(known)}")
        return names
    return parse


def parse_options(words):
    parser = argparse.ArgumentParser(prog="benchmarks/ranks/train", description="Measures training steps on one rank and on two.")
    parser.add_argument("--nets", type=names_among(NETS), default=list(NETS), metavar="NET,...", help=", ".join(NETS))
    parser.add_argument("--peers", type=names_among(JOBS), default=list(JOBS), metavar="PEER,...", help=", ".join(JOBS))
    parser.add_argument("--seconds", type=float, default=5.0, metavar="S", help="for each job")
    parser.add_argument("--out", metavar="FILE.json", help="the results")
    return parser.parse_args(words)


def main():
    options = parse_options(sys.argv[1:])
    build = os.environ["LATHE_BUILD"]
    out = os.path.join(build, "benchmarks", "ranks-train")
    os.makedirs(out, exist_ok=True)
    found = {"format": results.FORMAT, "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
             "lathe": machine.built_from(build), "machine": machine.describe(), "versions": versions(),
             "settings": {"seconds": options.seconds, "slices": SLICES, "steps_compared": STEPS}, "nets": []}
    for net in options.nets:
        found["nets"].append(measure_net(net, options, build, out))
        if options.out:
            results.write(options.out, found)
    print(json.dumps(found, indent=1) if not options.out else table(found))


if __name__ == "__main__":
    main()
