"""Makes docs/passes.md: the passes, from the .td files of their folders, docs/pass-examples.mlir and the output of lathe-opt."""
import json
import re
import shlex
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "docs/pass-examples.mlir"
OUTPUT = ROOT / "docs/passes.md"
FOLDERS = ["passes/*", "codegen/*/Schedule", "codegen/CPU/LoopWeights"]

INTRODUCTION = """\
# The passes

<!-- Made by scripts/generate-docs from the .td files of the passes' folders and docs/pass-examples.mlir; edit those. -->

Every pass, about in the order in which `lathec` runs them: `lib/Compiler/Stages.cpp` is the list, and
[architecture.md](architecture.md) says what each stage guarantees. `lathe-opt graph.mlir --PASS` runs one pass, several options
run several passes in their order, and `--lathe-import` stands for the passes of the import stage. An option of a pass follows
its name: `--lathe-fix-dims=sizes=N=8`. `--mlir-pass-statistics` prints the statistics of each pass if LLVM was built with
assertions or `LLVM_FORCE_ENABLE_STATS`; packaged LLVMs are not, and count nothing. `lathec --explain` works with all of them.

What each example prints is what `lathe-opt` printed when this page was made; the test `docs-passes-current` runs them again.
"""

MOST_SUMMARY = 70  # characters, so that a line of --help has room for it


class Pass:
    def __init__(self, records, name, folder):
        record = records[name]
        self.folder = folder
        self.name, self.argument, self.summary = name, record["argument"], record["summary"].strip()
        self.paragraphs = [unindent(text) for text in re.split(r"\n\s*\n", record["description"].strip())]
        self.options = [records[each["def"]] for each in record["options"]]
        self.statistics = [records[each["def"]] for each in record["statistics"]]

    def holes(self):
        """Returns what the declaration lacks."""
        if not self.summary or len(self.summary) > MOST_SUMMARY or self.summary.endswith("."):
            yield f"expected a summary of at most {MOST_SUMMARY} characters without a full stop"
        for word in ("Requires", "Guarantees"):
            if sum(text.startswith(word + " ") for text in self.paragraphs) != 1:
                yield f"expected one paragraph of the description that begins with '{word}'"
        for each in self.options:
            if not each["description"]:
                yield f"option '{each['argument']}' has no description"


def unindent(text):
    lines = text.strip("\n").splitlines()
    indent = min(len(line) - len(line.lstrip()) for line in lines[1:] or lines)
    return "\n".join([lines[0].strip()] + [line[indent:].rstrip() for line in lines[1:]])


def load(tblgen, include):
    passes = []
    for path in sorted(path for pattern in FOLDERS for path in ROOT.glob(pattern + "/*.td")):
        command = [tblgen, "--dump-json", "-I", include, "-I", str(ROOT), str(path)]
        records = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        passes += [Pass(records, name, path.parent.relative_to(ROOT)) for name in records["!instanceof"]["Pass"]]
    return passes


def read_examples():
    """Returns {pass: (true if lathe-opt fails, its options, input)}; the pass is the first option."""
    examples = {}
    for chunk in EXAMPLES.read_text().split("// -----\n")[1:]:
        command, text = chunk.split("\n", 1)
        words = re.fullmatch(r"// (not )?lathe-opt ('?--.*)", command)
        options = shlex.split(words.group(2))
        examples[options[0].removeprefix("--").split("=")[0]] = (bool(words.group(1)), options, text.strip("\n"))
    return examples


def without_module(text):
    """Returns the ops of a printed module without attributes, with the module's indentation and the printer's double spaces
    removed."""
    text = re.sub(r"(?<=\S)  +", " ", text)
    match = re.fullmatch(r"(.*?)^module \{\n(.*)^\}\n*", text, re.S | re.M)
    return match.group(1) + re.sub(r"(?m)^  ", "", match.group(2)) if match else text


def run(optimiser, file, fails, options, text):
    """Runs the example's command and returns what it prints."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, file).write_text(text + "\n")
        done = subprocess.run([optimiser, file, *options], cwd=folder, capture_output=True, text=True, timeout=60)
    if (done.returncode != 0) != fails:
        raise RuntimeError(f"docs/pass-examples.mlir: lathe-opt {' '.join(options)} "
                           f"{'succeeds' if fails else 'fails'}\n{done.stderr}")
    return (done.stderr if fails else without_module(done.stdout)).strip("\n")


def entry(each, example, optimiser):
    lines = [f"## {each.argument}", "", f"{each.summary}. Its folder is [{each.folder}](../{each.folder}).", ""]
    lines += ["\n\n".join(each.paragraphs), ""]
    for option in each.options:
        default = f" (default: {option['defaultValue'].strip(chr(34))})" if option["defaultValue"].strip('"') else ""
        lines.append(f"- option `{option['argument']}`: {option['description']}{default}")
    lines += [f"- statistic `{counted['name']}`: {counted['description']}" for counted in each.statistics]
    if each.options or each.statistics:
        lines.append("")
    if example:
        fails, options, text = example
        file = each.argument.removeprefix("lathe-")
        quoted = " ".join(f"'{option}'" if " " in option else option for option in options)
        printed = run(optimiser, file + ".mlir", fails, options, text)
        kind = f"text {file}.txt" if fails else f"mlir {file}.after.mlir"  # a name keeps docs-examples from importing it
        lines += [f"```mlir {file}.mlir", text, "```", "", f"`lathe-opt {file}.mlir {quoted}` "
                  f"{'fails' if fails else 'prints'}:", "", f"```{kind}", printed, "```", ""]
    return "\n".join(lines)


def registered(optimiser):
    printed = subprocess.run([optimiser, "--list-passes"], check=True, capture_output=True, text=True).stdout
    return set(re.findall(r"^ +--(lathe-[\w-]+)", printed.split("Pass Pipelines:")[0], re.M))


def page(tblgen, include, optimiser):
    """Returns the page, and what passes lack."""
    passes, examples = load(tblgen, include), read_examples()
    known = {each.argument for each in passes}
    order = list(examples)
    passes.sort(key=lambda each: (order.index(each.argument) if each.argument in order else len(order), each.argument))
    holes = [f"{each.argument}: {hole}" for each in passes for hole in each.holes()]
    holes += [f"{name}: docs/pass-examples.mlir has no example" for name in sorted(known - set(examples))]
    holes += [f"{name}: docs/pass-examples.mlir has an example, but no .td declares it" for name in sorted(set(examples) - known)]
    holes += [f"{name}: lathe-opt does not register it" for name in sorted(known - registered(optimiser))]
    holes += [f"{name}: no .td declares it" for name in sorted(registered(optimiser) - known)]
    contents = [f"| [{each.argument}](#{each.argument}) | {each.summary} |" for each in passes]
    parts = [INTRODUCTION, "\n".join(["| pass | effect |", "|---|---|"] + contents) + "\n"]
    parts += [entry(each, examples.get(each.argument), optimiser) for each in passes]
    return "\n".join(parts).rstrip("\n") + "\n", holes
