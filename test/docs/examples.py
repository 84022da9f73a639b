"""Runs what the pages of the documentation show: examples.py --build DIR --source DIR PAGE.md...

- A block ```mlir, and an inline `lathe.op ... : types`, goes through lathe-opt's import stage. A block without functions is
  wrapped into one whose arguments are the names that it uses.
- A block ```LANGUAGE NAME is written to a file of that name, in a folder of the page's own.
- A block ```console is typed there line by line, in the page's order: a line after `$ ` is a command, what follows is what it
  must print, where `...` stands for anything. The tools, header and runtime of the build are found as if installed.
A page with the line <!-- needs: MODULE... --> has commands for which this Python must have the modules; else only its graphs are run.
Blocks of other kinds are left alone."""
import argparse
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

BLOCK = re.compile(r"^```(\w*)[ \t]*([^\n]*)\n(.*?)^```$", re.S | re.M)
INLINE = re.compile(r"`(lathe\.[\w.]+ [^`@]*? : [^`]*)`")


def split_types(text):
    """ "tensor<2xf32>, tensor<?xf32, #lathe.dims<N>>" -> both types."""
    types, depth = [""], 0
    for character in text:
        depth += (character in "<(") - (character in ">)")
        if character == "," and depth == 0:
            types.append("")
        else:
            types[-1] += character
    return [t.strip() for t in types if t.strip()]


def wrapped(fragment):
    """A function around one op whose operands become arguments; the last type stands for those that the text leaves out."""
    text, _, types = fragment.rpartition(" : ")
    types = [t for t in split_types(re.sub("[()]", "", types.split(" -> ")[0])) if t.startswith("tensor")]
    names = list(dict.fromkeys(re.findall(r"%\w+", text)))
    arguments = []
    for index, name in enumerate(names):
        is_number = not types or f" to {name} " in text  # a size
        type = "tensor<i64>" if is_number else types[min(index, len(types) - 1)]
        unknown = ", ".join("NMK"[:type.count("?")])
        arguments.append(f"{name}: {type}" + (f" {{lathe.dims = #lathe.dims<{unknown}>}}" if unknown else ""))
    if re.search(r"\bto \[N\b", fragment) and "<N" not in str(arguments): # an operand would have brought the name
        arguments.append("%of_n: tensor<?xf32> {lathe.dims = #lathe.dims<N>}")
    return f"func.func @example({', '.join(arguments)}) {{\n  {fragment}\n  return\n}}\n"


def as_module(text):
    return text if re.search(r"func\.func|lathe\.variable|lathe\.dim @", text) else wrapped(text.strip())


def matches(expected, printed):
    pattern = re.escape(expected.strip()).replace(re.escape("..."), ".*?")
    return re.fullmatch(pattern, printed.strip(), re.S)


class Page:
    def __init__(self, path, options, folder):
        self.path, self.folder, self.count, self.faults = Path(path), folder, 0, []
        self.text = self.path.read_text()
        needs = re.search(r"^<!-- needs: (.*) -->$", self.text, re.M)
        self.has_needs = all(importlib.util.find_spec(module) for module in needs.group(1).split()) if needs else True
        self.optimiser = f"{options.build}/bin/lathe-opt"
        self.environment = dict(os.environ, PATH=f"{options.build}/bin:{os.path.dirname(sys.executable)}:{os.environ['PATH']}",
                                PYTHONPATH=f"{options.build}/python:{os.environ.get('PYTHONPATH', '')}",
                                CPATH=f"{options.source}/include", LIBRARY_PATH=f"{options.build}/lib", LATHE_SOURCE=options.source)

    def fault(self, offset, what):
        self.faults.append(f"{self.path}:{self.text[:offset].count(chr(10)) + 1}: {what}")

    def import_text(self, offset, text):
        self.count += 1
        done = subprocess.run([self.optimiser, "--lathe-import", "-o", os.devnull], input=as_module(text), text=True,
                              capture_output=True, timeout=60)
        if done.returncode:
            self.fault(offset, f"lathe-opt refuses the example\n{as_module(text)}\n{done.stderr}")

    def type_commands(self, offset, block):
        for command, expected in re.findall(r"^\$ (.*(?:\\\n.*)*)\n((?:(?!\$ ).*\n)*)", block, re.M):
            self.count += 1
            done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
            if not matches(expected, done.stdout):
                self.fault(offset, f"$ {command}\nexpected:\n{expected}printed ({done.returncode}):\n{done.stdout}")

    def run(self):
        for block in BLOCK.finditer(self.text):
            language, name, body = block.groups()
            if name:
                Path(self.folder, name).write_text(body)
            elif language == "mlir":
                self.import_text(block.start(), body)
            if language == "console" and self.has_needs:
                self.type_commands(block.start(), body)
        prose = BLOCK.sub(lambda block: re.sub(r"[^\n]", " ", block.group()), self.text)
        for inline in INLINE.finditer(prose):
            if "..." not in inline.group(1):
                self.import_text(inline.start(), " ".join(inline.group(1).split()))
        return self.faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("pages", nargs="+")
    options = parser.parse_args()
    faults = []
    for path in options.pages:
        with tempfile.TemporaryDirectory() as folder:
            page = Page(path, options, folder)
            faults += page.run()
            print(f"{page.path.name}: {page.count} examples" + ("" if page.has_needs else "; its commands need modules that are not installed"))
    print("\n".join(faults))
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
