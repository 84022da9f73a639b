"""GradBench's programs in C++, built from its sources and run as it runs them: a process that reads a file of JSON, computes as long as
it is told to, and writes its result and the time of each call. They lie outside the tree: GRADBENCH is a checkout of
github.com/gradbench/gradbench, CODIPACK one of github.com/SciCompKL/CoDiPack; ADOL-C and nlohmann's json.hpp are the system's (Debian:
libadolc-dev, libboost-dev, nlohmann-json3-dev). What is not there is left out, with a note."""
import json
import os
import subprocess

TOOLS = {"manual": ("manual C++", []), "codipack": ("CoDiPack", ["-DCODI_ForcedInlines=1"]), "adol-c": ("ADOL-C", ["-ladolc"])}


def build(program, out):
    """The binaries of the tools that have the program and can be built, by the tool's name."""
    sources, codipack = os.environ.get("GRADBENCH"), os.environ.get("CODIPACK")
    if not sources:
        return {}
    built = {}
    for tool, (name, options) in TOOLS.items():
        source, binary = os.path.join(sources, "tools", tool, program + ".cpp"), os.path.join(out, f"{tool}-{program}")
        if not os.path.exists(source) or (tool == "codipack" and not codipack):
            continue
        includes = [os.path.join(sources, "cpp"), "/usr/include/nlohmann"] + ([os.path.join(codipack, "include")] if codipack else [])
        if not os.path.exists(binary):
            command = ["c++", "-std=c++17", "-O3", "-march=native", "-w", source, "-o", binary, *("-I" + path for path in includes), *options]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                print(f"{name}, {program}: left out, it does not build: {done.stderr.splitlines()[0]}", flush=True)
                continue
        built[name] = binary
    return built


class Process:
    """A program's function on a file of inputs. Each call is a run of the process of about so many seconds."""

    def __init__(self, binary, function, file):
        self.command = [binary, file, function]

    def run(self, seconds):
        """The result, and the times of the calls in ms. The first is left out if there are more: it touches memory for the first time."""
        with open(self.command[1]) as file:
            given = json.load(file)
        if given.get("min_seconds") != seconds:
            with open(self.command[1], "w") as file:
                json.dump({**given, "min_runs": 2, "min_seconds": seconds}, file)
        done = subprocess.run(self.command, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(self.command)} failed: {done.stderr}")
        result, *lines = done.stdout.splitlines()
        times = [entry["nanoseconds"] / 1e6 for entry in map(json.loads, lines) if entry["name"] == "evaluate"]
        return json.loads(result), times[1:] or times
