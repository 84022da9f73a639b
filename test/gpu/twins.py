"""Runs the CPU's tests of generated code on a GPU: twins.py --build DIR --source DIR [--target SPEC] [NAME...]

Each RUN line of test/codegen that compares compiled code with the interpreter (lathe-run --check) is run once more, with
another target and to the tolerance that a GPU's sums need; one that gives sizes by --dim, which makes numbers of them, a second time
with inputs from files, whose sizes stay named. The tests stay where they are; what they cannot ask of a GPU is listed here, with why."""
import argparse
import os
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "codegen"))
from comparisons import commands  # noqa: E402

# Options that say how a CPU shall do it. Fast mode changes other things on a GPU, which test/codegen/GPU has tests of.
CPU_ONLY = {"--target", "--threads", "--math"}
# Sums of f32 on tensor cores are three products of 11 and 10 bits each, in another order than the interpreter's.
LEAST_TOLERANCE = 2e-5
# In products of halves, another order of a sum may give the next half. A scatter adds the updates of an element one after the
# other on a GPU, which loses digits of many.
LEAST_TOLERANCES = {"blocked-products": 1e-2, "long-scatters": 1e-2}


def twin(words, target, path):
    least = LEAST_TOLERANCES.get(path.stem, LEAST_TOLERANCE)
    kept, values = [], iter(words[1:])
    for word in values:
        option = word.split("=")[0]
        if option in CPU_ONLY:
            if "=" not in word:
                next(values)
            continue
        if option in ("--rtol", "--atol"):
            value = float(word.split("=")[1] if "=" in word else next(values))
            kept += [option, str(max(value, least)) if value else "0"]
            continue
        kept.append(word)
    return ["lathe-run", *kept, f"--target={target}"]


def without(words, *options):
    """The words without these options and their values."""
    kept, values = [], iter(words)
    for word in values:
        if word.split("=")[0] not in options:
            kept.append(word)
        elif "=" not in word:
            next(values)
    return kept


def is_sized(words):
    return any(word.split("=")[0] == "--dim" for word in words)


def named(words, environment):
    """Runs words with --dim with the inputs that they make, from files."""
    with tempfile.TemporaryDirectory() as folder:
        made = [*without(words, "--target", "--math", "--rtol", "--atol"), "--interpret", f"--save={folder}"]
        subprocess.run([word for word in made if word != "--check"], env=environment, check=True, capture_output=True)
        inputs = [f"--input={file.stem[3:]}=@{file}" for file in sorted(Path(folder).glob("in-*.npy"))]
        return run([*(word for word in without(words, "--dim", "--input") if word != "--random"), *inputs], environment)


def run(words, environment):
    try:
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=900)
    except subprocess.TimeoutExpired:
        return words, "does not end"
    return words, None if done.returncode == 0 else f"exit {done.returncode}\n{done.stdout[-1500:]}{done.stderr[-1500:]}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--target", default="cuda:sm_90")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    build = Path(options.build).resolve()
    environment = dict(os.environ, PATH=f"{build}/bin:{os.environ['PATH']}", LD_LIBRARY_PATH=f"{build}/test/cuda-standin",
                       LATHE_STANDIN_RESIDENT="2") # blocks that stay then have several turns
    tests = sorted(Path(options.source, "test/codegen").glob("**/*.mlir"))
    twins = []
    for path in tests:
        if not options.names or path.stem in options.names:
            twins += [words for words in (twin(words, options.target, path) for words in commands(path)) if words not in twins]
    sized = [words for words in twins if is_sized(words)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = list(pool.map(lambda words: run(words, environment), twins))
        outcomes += pool.map(lambda words: named(words, environment), sized)
    faults = [(words, fault) for words, fault in outcomes if fault]
    for words, fault in faults:
        print(f"{shlex.join(words)}\n{fault}\n")
    print(f"{len(twins)} runs on {options.target}, {len(sized)} more with named sizes, {len(faults)} wrong")
    return bool(faults) or not twins


if __name__ == "__main__":
    sys.exit(main())
