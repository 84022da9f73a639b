"""Runs the tests of generated code on AArch64 under qemu: twins.py --build DIR --source DIR [NAME...]

The RUN lines of test/codegen for CPUs are run once more with this file in the place of lathe-run. Each call of a function with
inputs is made by an object for x86-64 with FMA and vectors of 16 bytes, and by one for AArch64, and all bits of the results and
variables must be equal, those of a NaN aside. A graph is compiled once for each machine, with all its entries; calls that differ in
what they compare with, in threads or in the target are one. What the lines check on the machine of the tests is left to lit."""
import argparse
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

X86, ARM = "x86_64-linux-gnu:generic:+fma", "aarch64-linux-gnu"
WITHOUT_VALUE = {"--check", "--random", "--interpret", "--check-finite", "--check-bounds", "--partial-state", "--gradcheck", "--bisect",
                 "--trace", "--benchmark", "--profile", "--help", "--version", "--device-arguments"}
# Commands that run no object, or that check no result.
OTHERS = ("--gradcheck", "--bisect", "--trace", "--after", "--benchmark", "--profile", "--help", "--version", "--library")
KEPT = ("--input", "--random", "--output", "--save", "--dim", "--seed", "--load-state", "--save-state")
STATE = ("--load-state=", "--save-state=")
# Lines that are not about this: the tools of the tests, and what compares texts.
MUTED = ("FileCheck", "not", "count", "cmp", "diff", "lathec", "lathe-opt", "llvm-nm", "llvm-objdump")


# ---- In the place of lathe-run

def pairs(words):
    """Returns the options with their values, and the other words."""
    result, rest = [], iter(words)
    for word in rest:
        if not word.startswith("-") or word == "-":
            result.append((None, word))
        elif "=" in word or word in WITHOUT_VALUE or re.fullmatch(r"-O\d", word):
            result.append((word.split("=")[0], word))
        else:
            result.append((word, f"{word}={next(rest)}"))
    return result


def compiled(graph, folder, build):
    """The objects of a graph for both machines; None if it is not compiled without sizes, which another test of it needs."""
    key = hashlib.sha256(graph.read_bytes()).hexdigest()[:24]
    objects = [folder / f"g{key}-{machine}" / "graph.so" for machine in ("x86", "arm")]
    with open(folder / f"{key}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for path, target in zip(objects, (X86, ARM)):
            if path.parent.exists():
                continue
            path.parent.mkdir()
            done = subprocess.run([f"{build}/bin/lathec", graph, f"--target={target}", "--emit=shared", "--name=graph", "-o", path],
                                  capture_output=True, text=True)
            if done.returncode == 3:
                raise RuntimeError(done.stderr)
    return objects if all(path.exists() for path in objects) else None


def call(words):
    """Makes a call on both machines. Returns what differs, or None."""
    build, folder = os.environ["LATHE_TWINS_BUILD"], Path(os.environ["LATHE_TWINS_FOLDER"])
    options = pairs(words)
    names = [word for name, word in options if name is None]
    if any(name in OTHERS for name, _ in options) or not names or not names[0].endswith(".mlir"):
        return None
    if any(name == "--interpret" for name, _ in options):
        subprocess.run([f"{build}/bin/lathe-run", *words], check=True, stdout=subprocess.DEVNULL)
        return None
    graph = Path(names[0])
    objects = compiled(graph, folder, build)
    if not objects:
        (folder / "refused").open("a").write(f"{graph.name}\n")
        return None
    function = names[1] if len(names) > 1 else re.search(r"func\.func @(\w+)", graph.read_text()).group(1)
    kept = [word for name, word in options if name in KEPT]
    with tempfile.TemporaryDirectory(dir=folder) as saved:
        own = [word for word in kept if not word.startswith("--save=")] + [f"--save={saved}"]
        before, after = (next((word.split("=", 1)[1] for word in kept if word.startswith(option)), None) for option in STATE)
        state = []
        if before: # the line may save to the same file
            state = [f"--load-state={shutil.copy(before, Path(saved, 'before'))}"]
        done = subprocess.run([f"{build}/bin/lathe-run", objects[0], function, *own], capture_output=True, text=True)
        for word in kept: # another line reads it
            if word.startswith("--save="):
                subprocess.run(["cp", "-rT", saved, word.split("=", 1)[1]], check=True)
        if done.returncode:
            return None # a test of an error
        if not is_new([hashlib.sha256(graph.read_bytes()).hexdigest(), function, *sorted(digests(saved))], folder):
            return None
        sizes = [word.split("=", 1)[1] for word in kept if word.startswith("--dim=")]
        player = [os.environ["LATHE_TWINS_QEMU"], "-L", "/usr/aarch64-linux-gnu", folder / "replay"]
        if after:
            state.append(f"--save-state={saved}/after")
        done = subprocess.run([*player, objects[1], function, saved, "bits", *sizes, *state], capture_output=True, text=True)
        (folder / "calls").open("a").write(os.environ["LATHE_TWINS_TEST"] + "\n")
        if after and not done.returncode and Path(saved, "after").read_bytes() != Path(after).read_bytes():
            return "exit 0\nthe variables differ\n"
    return f"exit {done.returncode}\n{done.stderr[-1500:]}" if done.returncode else None


def digests(folder):
    return [path.name + hashlib.sha256(path.read_bytes()).hexdigest() for path in Path(folder).iterdir()]


def is_new(words, folder):
    """True if no earlier call was of the same function, with the same inputs and results."""
    key = hashlib.sha256("\n".join(words).encode()).hexdigest()
    try:
        os.close(os.open(folder / f"{key}.done", os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def stand_in():
    fault = call(sys.argv[2:])
    if fault:
        with open(Path(os.environ["LATHE_TWINS_FOLDER"], "faults"), "a") as faults:
            faults.write(f"lathe-run {' '.join(sys.argv[2:])}\n{fault}\n")


# ---- The tests

def name_of(path):
    return f"{path.parent.name}/{path.name}"


def lines_of(path):
    """The RUN lines of a test, with lit's definitions in them."""
    text = re.sub(r"\\\n.*?(?:RUN|DEFINE):", "", path.read_text())
    defined, lines = {}, []
    for kind, line in re.findall(r"\b(RUN|DEFINE|REDEFINE): (.*)", text):
        if kind != "RUN":
            name, value = line.split(" = ", 1)
            defined[name.strip()] = value
            continue
        if line.startswith("%if"):
            continue
        while any(name in line for name in defined):
            for name, value in defined.items():
                line = line.replace(name, value)
        lines.append(line)
    return lines


def run(path, options, environment):
    """Runs the lines of a test; returns what is wrong with them as such."""
    work = environment["LATHE_TWINS_FOLDER"] / "tests" / name_of(path).replace("/", "-")
    work.parent.mkdir(exist_ok=True)
    source = Path(options.source).resolve()
    words = {"%source": source, "%python": sys.executable, "%npy": f"{sys.executable} {source}/test/npyfile.py", "%s": str(path), "%S": str(path.parent), "%t": str(work)}
    script = "\n".join(lines_of(path))
    for name, value in words.items():
        script = re.sub(re.escape(name) + r"\b", str(value), script)
    try:
        environment = dict(environment, LATHE_TWINS_TEST=name_of(path))
        done = subprocess.run(["bash", "-c", script], env=environment, cwd=work.parent, capture_output=True, text=True, timeout=900)
    except subprocess.TimeoutExpired:
        return f"{path} does not end"
    return f"{path}:\n{done.stderr[-1500:]}" if "Traceback" in done.stderr else None


def prepare(folder, options, tools):
    """The tools that stand in for those of the tests, and the player of calls for AArch64."""
    commands = folder / "bin"
    commands.mkdir()
    for name in MUTED:
        (commands / name).write_text("#!/bin/sh\ncase $0 in */FileCheck) cat > /dev/null;; esac\nexit 0\n")
    (commands / "lathe-run").write_text(f"#!/bin/sh\nexec {sys.executable} -B {Path(__file__).resolve()} --stand-in \"$@\"\n")
    for file in commands.iterdir():
        file.chmod(0o755)
    source = Path(options.source)
    sources = [source / "test/codegen/replay.c", *sorted((source / "runtime").glob("*.c"))]
    subprocess.run([tools, "-O1", "-std=gnu11", f"-I{source}/include", *sources, "-ldl", "-lm", "-lpthread", "-o", folder / "replay"],
                   check=True)
    return commands


def main():
    if sys.argv[1:2] == ["--stand-in"]:
        return stand_in()
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--cc", default="aarch64-linux-gnu-gcc")
    parser.add_argument("--qemu", default="qemu-aarch64")
    parser.add_argument("names", nargs="*", help="tests to run; all without any")
    options = parser.parse_args()
    tests = [path for pattern in ("CPU/**/*.mlir", "Types/*.mlir", "Types/*.test")
             for path in sorted((Path(options.source).resolve() / "test/codegen").glob(pattern)) if "Inputs" not in path.parts]
    tests = [path for path in tests if not options.names or path.stem in options.names]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        commands = prepare(folder, options, options.cc)
        environment = dict(os.environ, PATH=f"{commands}:{os.environ['PATH']}", LATHE_TWINS_FOLDER=folder,
                           PYTHONPATH=Path(options.source).resolve() / "test",
                           LATHE_TWINS_QEMU=options.qemu, LATHE_TWINS_BUILD=Path(options.build).resolve())
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            broken = [text for text in pool.map(lambda path: run(path, options, environment), tests) if text]
        faults, calls, refused = ((folder / file).read_text() if (folder / file).exists() else "" for file in ("faults", "calls", "refused"))
    print("\n".join([*broken, faults]))
    if refused:
        print("not compiled without sizes: " + ", ".join(sorted(set(refused.split()))))
    called = calls.split()
    silent = sorted({name_of(path) for path in tests} - {*called})
    if silent:
        print("without a call: " + ", ".join(silent))
    print(f"{len(called)} calls of {len(tests)} tests, {faults.count('exit ')} differ from x86-64")
    return bool(faults or broken) or not called


if __name__ == "__main__":
    sys.exit(main())
