"""That ptxas takes every kernel, without spills, local memory or warnings of serialised code: assembles.py --build DIR --source DIR
--ptxas PROGRAM [NAME...]

The graphs are the tests of generated code, of which each family of ops has some, for one architecture each in turn; two whole
training steps and products by large tiles for all of them, large products and convolutions for the one that has kernels of its own
for them; products with --math=fast too."""
import argparse
import itertools
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ARCHITECTURES = ["sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a"]
LARGE = ["test/gpu/Inputs/large-products.mlir", "test/gpu/Inputs/large-convolutions.mlir"]
TILES = "test/codegen/GPU/tiles.mlir"
EXAMPLES = ["digits/digits.mlir", "chars/chars.mlir"]
# Bytes of local memory that a kernel may have, with why: none has yet.
ALLOWED = {}


def faults_of(report):
    """Yields the faults of kernels in the output of ptxas -v."""
    kernel, faults, spilled = "", [], None
    for line in report.splitlines():
        if found := re.search(r"Compiling entry function '(\w+)'", line):
            kernel = found.group(1)
        sizes = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line)
        if sizes and any(int(size) for size in sizes.groups()) and kernel not in ALLOWED:
            spilled = sizes, f"{kernel}: {line.strip()}"
        if found := re.search(r"Used (\d+) registers", line):
            # Registers are handed out in units of 8. Below 64 ptxas rather spills one word around loops than take one more unit,
            # of which it depends how many warps run at once. The frame with that word may be aligned to 16 bytes.
            registers = int(found.group(1))
            frame, *spills = map(int, spilled[0].groups()) if spilled else [0]
            if spilled and (registers % 8 or registers > 64 or frame > 16 or max(spills) > 8):
                faults.append(spilled[1])
            spilled = None
        if re.search(r"\bC75\d\d\b|error", line):
            faults.append(f"{kernel}: {line.strip()}")
    return faults


def check(path, architecture, extra, options):
    """Returns the faults and the number of kernels."""
    with tempfile.TemporaryDirectory() as folder:
        ptx = Path(folder, "kernels.ptx")
        done = subprocess.run([f"{options.build}/bin/lathec", path, f"--target=cuda:{architecture}", *extra, "--emit=ptx", "-o",
                               ptx], capture_output=True, text=True)
        if done.returncode == 1: # a test of what is refused
            return [], 0
        if done.returncode:
            return [f"lathec ends with {done.returncode}: {done.stderr[-500:]}"], 0
        count = ptx.read_text().count(".entry")
        if not count:
            return [], 0
        done = subprocess.run([options.ptxas, f"-arch={architecture}", "-v", ptx, "-o", Path(folder, "kernels.cubin")],
                              capture_output=True, text=True)
        faults = faults_of(done.stdout + done.stderr)
        if done.returncode and not faults:
            faults.append(f"ptxas ends with {done.returncode}")
        return faults, count


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--ptxas", required=True)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    source = Path(options.source)
    tests = sorted(source.glob("test/codegen/**/*.mlir"))
    work = list(zip(tests, itertools.cycle(ARCHITECTURES)))
    work += itertools.product([source / "examples" / name for name in EXAMPLES], ARCHITECTURES)
    work = [(path, architecture, []) for path, architecture in work]
    products = [(source / TILES, architecture) for architecture in ARCHITECTURES]
    products += [(path, "sm_90a") for path in [*(source / name for name in LARGE), *source.glob("test/codegen/GPU/Hopper/*.mlir")]]
    work += [(path, architecture, extra) for path, architecture in products for extra in ([], ["--math=fast"])]
    work = [item for item in work if not options.names or item[0].stem in options.names]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = list(pool.map(lambda item: check(*item, options), work))
    wrong = kernels = 0
    for (path, architecture, _), (faults, count) in zip(work, outcomes):
        kernels += count
        for fault in faults:
            wrong += 1
            print(f"{path.relative_to(source)}, {architecture}: {fault}")
    print(f"{kernels} kernels, {wrong} faults")
    return wrong > 0 or kernels == 0


if __name__ == "__main__":
    sys.exit(main())
