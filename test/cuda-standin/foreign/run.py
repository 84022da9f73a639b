"""Kernels that Triton has compiled, on the stand-in: run.py [--dump DIR] [--arch N] [NAME...]

LD_LIBRARY_PATH names the stand-in's folder. Results are compared with f64 to bounds that follow from the formats. Without Triton
of the version it exits 77."""
import argparse
import os
import sys
import tempfile
import traceback

VERSION = "3.9.0"
SKIPPED = 77


def missing():
    try:
        import numpy
        import triton
    except ImportError as error:
        return str(error)
    return "" if triton.__version__ == VERSION else f"this is Triton {triton.__version__}"


def faults(results, wanted):
    import numpy as np
    for name, (values, bound) in wanted.items():
        error = abs(results[name] - values)
        same = (results[name] == values) | np.isnan(results[name]) & np.isnan(values)
        wrong = ~(same | (error <= bound))
        if wrong.any():
            at = tuple(int(i) for i in np.argwhere(wrong)[0])
            yield (f"{name}: {wrong.sum()} of {wrong.size} wrong, the first at {at}: {results[name][at]} "
                   f"instead of {np.broadcast_to(values, wrong.shape)[at]}")


def one(device, case, arch, dump):
    from kernels import execute
    try:
        run, wanted = case.make()
        results = execute(device, run, arch, dump, f"{case.name.replace(' ', '-')}-{arch}")
        return list(faults(results, wanted))
    except Exception as error: # the next case is of interest all the same
        if dump:
            traceback.print_exc()
        device.begin_again()
        return [f"{type(error).__name__}: {str(error)[:600]}"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dump", help="where PTX is written")
    parser.add_argument("--arch", type=int, choices=(80, 89, 90))
    parser.add_argument("--any-version", action="store_true", help="with whatever Triton there is")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    why = missing()
    if why and not (options.any_version and "this is" in why):
        print(f"not run, for it needs `pip install triton=={VERSION} numpy`: {why}")
        return SKIPPED
    with tempfile.TemporaryDirectory() as cache:
        os.environ.setdefault("TRITON_CACHE_DIR", cache)
        os.environ["TRITON_DEFAULT_FP_FUSION"] = "1"
        os.environ.setdefault("LATHE_STANDIN_DRIVER_VERSION", "13990") # PTX of any version
        os.environ.setdefault("LATHE_STANDIN_EQUAL_WRITES", "1") # what warps are to do is written so
        import arithmetic
        import boxes
        import threads
        import matrix
        from device import Device
        device = Device()
        count, wrong = 0, 0
        for case in [*arithmetic.cases(), *threads.cases(), *boxes.cases(), *matrix.cases()]:
            for arch in case.archs:
                if options.arch not in (None, arch) or not all(name in case.name for name in options.names):
                    continue
                count += 1
                found = one(device, case, arch, options.dump)
                wrong += bool(found)
                for fault in found:
                    print(f"{case.name}, sm_{arch}: {fault}", flush=True)
    print(f"{count} runs, {wrong} wrong")
    return bool(wrong) or not count


if __name__ == "__main__":
    sys.exit(main())
