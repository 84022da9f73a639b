"""Describes the machine and what was measured."""
import os
import platform
import subprocess
from pathlib import Path

FLAGS = ("avx", "avx2", "fma", "f16c", "bmi2", "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd", "avx512_vnni", "avx512_bf16",
         "avx512_fp16", "amx_tile", "amx_bf16", "amx_int8")


def read(path):
    try:
        return Path(path).read_text().strip()
    except OSError:
        return None


def caches():
    """Returns the size of each cache of the first core, such as {"L1 Data": "32K"}."""
    found = {}
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind, size = (read(folder / name) for name in ("level", "type", "size"))
        if size:
            found[f"L{level}" if kind == "Unified" else f"L{level} {kind}"] = size
    return found


def processor():
    """Returns the first core's lines of /proc/cpuinfo."""
    lines = (read("/proc/cpuinfo") or "").split("\n\n")[0].splitlines()
    return {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}


def describe():
    info = processor()
    flags = set(info.get("flags", "").split())
    return {"cpu": info.get("model name", platform.machine()), "family": info.get("cpu family"), "model": info.get("model"),
            "flags": [flag for flag in FLAGS if flag in flags], "cores": os.cpu_count(), "caches": caches(),
            "governor": read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2 ** 30, 1),
            "kernel": platform.release(), "load": round(os.getloadavg()[0], 2)}


def git(source, *arguments):
    done = subprocess.run(["git", "-C", source, *arguments], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def built_from(build):
    """Returns the commit of the sources that a build folder belongs to, and the tracked files that differ from it."""
    cache = read(os.path.join(build, "CMakeCache.txt")) or ""
    source = next((line.split("=", 1)[1] for line in cache.splitlines() if line.startswith("CMAKE_HOME_DIRECTORY")), build)
    changed = git(source, "status", "--porcelain", "--untracked-files=no")
    return {"commit": git(source, "rev-parse", "HEAD"), "changed_files": len(changed.splitlines()) if changed is not None else None}
