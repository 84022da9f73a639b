"""Makes a folder that a machine with a GPU can test itself with, without a compiler: pack.py --build DIR --source DIR FOLDER [NAME...]

Each comparison of test/codegen that test/gpu/twins.py makes on the stand-in becomes a shared object with code for sm_90 and sm_90a, the
inputs, and what the interpreter gives of them. FOLDER/run there goes through all of them; FOLDER/run --sanitize by
compute-sanitizer's four tools. Functions with variables are left out: their state is not an argument."""
import argparse
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent.parent
sys.path += [str(TESTS / "gpu"), str(TESTS / "codegen")]
from comparisons import commands, entry, option  # noqa: E402
from twins import twin  # noqa: E402

RUN = """#!/usr/bin/env python3
import subprocess, sys
from pathlib import Path
here = Path(__file__).resolve().parent
tools = [["compute-sanitizer", "--error-exitcode=9", "--tool", tool] for tool in ("memcheck", "racecheck", "synccheck", "initcheck")]
wrong = count = 0
for line in (here / "cases").read_text().splitlines():
    for tool in tools if "--sanitize" in sys.argv else [[]]:
        count += 1
        done = subprocess.run(tool + [str(here / "replay")] + line.split(), cwd=here, capture_output=True, text=True)
        if done.returncode:
            wrong += 1
            print(f"{' '.join(tool)} {line}: exit {done.returncode}\\n{done.stdout[-600:]}{done.stderr[-600:]}", flush=True)
print(f"{count} runs, {wrong} wrong")
sys.exit(wrong != 0)
"""


def pack(number, words, folder, options):
    """One case: the words of its replay, or why there is none."""
    name = f"case{number}"
    path, function = words[1], entry(words)
    text = Path(path).read_text()
    if "lathe.variable" in text or option(words, "--library"):
        return None
    dims = option(words, "--dim")
    saved = folder / name
    # sm_90a for an H100 or H200, whose own instructions its kernels have; sm_90 for what comes later
    target = ["--target=cuda:sm_90,cuda:sm_90a", "--ptxas=" + (options.ptxas or "none")]
    target += [f"--math={math}" for math in option(words, "--math")]
    run = [f"{options.build}/bin/lathe-run", path, function, "--interpret", f"--save={saved}", *(f"--dim={d}" for d in dims)]
    run += [word for word in words[3:] if word == "--random"] + [f"--input={i}" for i in option(words, "--input")]
    compiled = [f"{options.build}/bin/lathec", path, f"--entry={function}", "--emit=shared", *target, f"--name={name}",
                "-o", str(folder / f"{name}.so")]
    for command in (run, compiled):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return None
    subprocess.run(["strip", "-g", str(folder / f"{name}.so")], check=True)
    rtol, atol = (option(words, name) or [default] for name, default in (("--rtol", "1e-3"), ("--atol", "1e-7")))
    return shlex.join([f"./{name}.so", function, name, rtol[-1], atol[-1], *dims])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--ptxas", default="")
    parser.add_argument("folder")
    parser.add_argument("names", nargs="*", help="tests to take; all without any")
    options = parser.parse_args()
    folder = Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    options.build = Path(options.build).resolve()
    source = Path(options.source)
    twins = []
    for path in sorted(source.glob("test/codegen/**/*.mlir")):
        if options.names and path.stem not in options.names:
            continue
        for words in commands(path):
            case = twin(words, "cuda:sm_90", path)
            if case not in twins:
                twins.append(case)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        cases = [case for case in pool.map(lambda item: pack(*item, folder, options), enumerate(twins)) if case]
    (folder / "cases").write_text("\n".join(cases) + "\n")
    (folder / "run").write_text(RUN)
    (folder / "run").chmod(0o755)
    subprocess.run(["cc", "-O1", f"-I{source}/include", str(TESTS / "codegen/replay.c"),
                    f"{options.build}/lib/liblathe_runtime.a", "-ldl", "-lm", "-lpthread", "-o", str(folder / "replay")], check=True)
    print(f"{len(cases)} of {len(twins)} comparisons in {folder}")
    return not cases


if __name__ == "__main__":
    sys.exit(main())
