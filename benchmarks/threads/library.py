"""Builds the library with the runtime, the recorder and the loops that measure time."""
import os
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = [HERE / "recorder.c", HERE / "costs.c", HERE.parent / "suite/timing.c"]


def build(build_folder, folder):
    path = os.path.join(folder, "librecorder.so")
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-shared", "-fPIC", f"-I{HERE.parents[1] / 'include'}", *map(str, SOURCES), "-o",
                    path, "-Wl,--wrap=pthread_create", "-Wl,--whole-archive", os.path.join(build_folder, "lib/liblathe_runtime.a"),
                    "-Wl,--no-whole-archive", "-lpthread"], check=True)
    return path
