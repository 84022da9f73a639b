"""Makes a folder that times Lathe on a machine with a GPU, and needs no compiler there: pack.py --build DIR [--small] FOLDER

Each case of cases.py becomes a shared object with code for sm_90, and the digits' training step another one. With --small the
cases are small, and what the interpreter gives of random inputs lies beside each: FOLDER/run --check compares."""
import argparse
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cases

HERE = Path(__file__).resolve().parent
RUN = '#!/bin/sh\nexec python3 -B "$(dirname "$0")/compare.py" "$(dirname "$0")" "$@"\n'


def compile_object(options, graph, name, *words):
    subprocess.run([options.build / "bin/lathec", graph, "--emit=shared", f"--target={options.target}", f"--name={name}", *words,
                    "-o", options.folder / f"{name}.so"], check=True)


def pack(options, case):
    graph = options.folder / f"{case.name}.mlir"
    graph.write_text(case.text)
    compile_object(options, graph, case.name, *case.options)
    if options.small:
        subprocess.run([options.build / "bin/lathe-run", graph, "f", "--interpret", "--random", f"--save={options.folder / case.name}"],
                       check=True, stdout=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True, type=Path)
    parser.add_argument("--target", default="cuda:sm_90,cuda:sm_90a")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    shutil.rmtree(options.folder, ignore_errors=True)
    options.folder.mkdir(parents=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda case: pack(options, case), cases.SMALL if options.small else cases.FULL))
    compile_object(options, HERE.parent.parent / "examples/digits/digits.mlir", "digits", "--specialize=N=32")
    subprocess.run(["cc", "-shared", "-o", options.folder / "libruntime.so", "-Wl,--whole-archive",
                    options.build / "lib/liblathe_runtime.a", "-Wl,--no-whole-archive", "-lpthread", "-ldl", "-lm"], check=True)
    for name in ("cases.py", "compare.py", "device.py", "check.py"):
        shutil.copy(HERE / name, options.folder)
    (options.folder / "run").write_text(RUN)
    (options.folder / "run").chmod(0o755)
    return 0


if __name__ == "__main__":
    sys.exit(main())
