"""same.py RUN OPT GRAPHS: each graph of the file gives the same interpreted before and after the pass, on random inputs."""
import os
import subprocess
import sys
import tempfile

run, opt, graphs = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    for text in open(graphs).read().split("// -----\n"):
        for name, options in ("before", []), ("after", ["--lathe-sink-transposes"]):
            with open(os.path.join(folder, name + ".mlir"), "w") as file:
                subprocess.run([opt, "-", *options], input=text, text=True, stdout=file, check=True)
        command = [run, "--interpret", "--random", "--seed=1"]
        values = []
        for name in "before", "after":
            told = subprocess.run([*command, os.path.join(folder, name + ".mlir")], capture_output=True, text=True, check=True)
            values.append([line.split(":", 1)[1] for line in told.stdout.splitlines()])  # results have other names
        assert values[0] == values[1] and values[0], values
