"""Makes docs/options.md: the options of each tool, from its --help, and the arguments of lathe_add_graph, from the comment above
it."""
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "docs/options.md"
ADD_GRAPH = ROOT / "cmake/install/LatheAddGraph.cmake"

INTRODUCTION = """\
# Options

<!-- Made by scripts/generate-docs from the tools' --help; edit those. -->

This page lists every option of the tools, and the arguments of the CMake function `lathe_add_graph`.
"""


def help_of(build, tool):
    return subprocess.run([Path(build, "bin", tool), "--help"], check=True, capture_output=True, text=True).stdout


def cell(text):
    return " ".join(text.split()).replace("|", "\\|")


def table(rows):
    return "\n".join(["| option | meaning |", "|---|---|", *[f"| `{cell(name)}` | {cell(text)} |" for name, text in rows]]) + "\n"


def split(text):
    """Returns [(heading, rows, prose)] for a help text. A row is an indented name, with its meaning on the same line or indented
    below it."""
    sections = [["", [], []]]
    for line in text.splitlines():
        heading = re.fullmatch(r"(\w[\w ]*):", line)
        row = re.fullmatch(r"  (\S.*?)(?:(?:  +|(?<=^.{29}) )(\S.*))?", line)  # meanings begin in column 30
        if heading:
            sections.append([heading.group(1), [], []])
        elif row:
            sections[-1][1].append([row.group(1), row.group(2) or ""])
        elif line.startswith("   ") and sections[-1][1]:
            sections[-1][1][-1][1] += " " + line.strip()
        elif line.strip():
            sections[-1][2].append(line)
    return sections


def without_types(name):
    """Returns an option as users write it: `--emit TEXT:{asm,obj}` -> `--emit={asm,obj}`, `-o TEXT` -> `-o VALUE`."""
    name = name.replace(" REQUIRED", "").replace(" ...", "")
    name = re.sub(r"^(-\w) \w+:\w+ in \[(\d+) - (\d+)\]", r"\1{\2..\3}", name)  # -O UINT:INT in [0 - 3]
    name = re.sub(r" \w+:\w+ in \[(\d+) - (\d+)\]", r"={\1..\2}", name)
    name = re.sub(r"^(--\w+)\{\w+\} :(\{.*\})$", r"\1[=\2]", name)  # --gradcheck{sample} :{sample,all}
    name = re.sub(r"^(--\w+)\{.\}$", r"\1[=VALUE]", name)  # --profile{-}
    name = re.sub(r"^(--\w+) \w+:\w+=\w+$", r"\1[=VALUE]", name)  # --benchmark FLOAT:POSITIVE=1
    name = re.sub(r" \w+:(\{[^}]*\})", r"=\1", name)
    name = re.sub(r"^(--[\w-]+) (?:TEXT|U?INT|FLOAT)(?::[A-Z]+)?$", r"\1=VALUE", name)
    return re.sub(r" (?:TEXT|U?INT|FLOAT)(?::[A-Z]+)?$", " VALUE", name)


def tool_page(build, tool):
    """Returns a section with the options of a tool whose help has headings and indented rows."""
    parts = [f"## {tool}\n"]
    for heading, rows, prose in split(help_of(build, tool)):
        if heading == "Examples":
            examples = "\n".join(name + ("  # " + text if text else "") for name, text in rows)
            parts += [f"Examples:\n\n```\n{examples}\n```\n", "\n".join(prose) + "\n"]
            continue
        if heading and rows:
            parts.append(f"### {heading}\n")
        text = "\n".join(line for line in prose if not line.startswith("Usage:"))
        parts += [f"`{line}`\n" for line in prose if line.startswith("Usage:")] + ([text + "\n"] if text else [])
        if rows:
            bare = [name for name, text in rows if not text]
            if bare:
                raise ValueError(f"{tool} --help: expected a meaning beside or below each name; '{bare[0]}' has none")
            names = (without_types(name) for name, _ in rows)
            if heading == "Positionals":
                names = (name.removesuffix(" VALUE") for name in names)
            parts.append(table(zip(names, (text for _, text in rows))))
    return "\n".join(parts)


def opt_page(build):
    """Returns a section with lathe-opt's flags for passes, and the passes' own options."""
    rows, in_pass = [], False
    for line in help_of(build, "lathe-opt").splitlines():
        flag = re.fullmatch(r"      (--[\w-]+)\s+- +(.*)", line)
        option = re.fullmatch(r"        (--[\w-]+(?:=<[\w-]+>)?)\s+- +(.*)", line)
        if flag:
            in_pass = flag.group(1).startswith("--lathe-")
        if in_pass and (flag or option):
            name, text = (flag or option).groups()
            rows.append((name if flag else f"{rows_pass}={{{name[2:]}}}", re.split(r"(?<=\.) ", text)[0]))
            if flag:
                rows_pass = name
    return ("## lathe-opt\n\n`lathe-opt` is the usual MLIR driver: it has the options of `mlir-opt`, and one flag for each pass of "
            "Lathe. `lathe-opt --help` prints the full descriptions.\n\n" + table(rows))


def add_graph_page():
    comment = re.search(r"((?:^#.*\n)+)function\(lathe_add_graph", ADD_GRAPH.read_text(), re.M).group(1)
    lines = [line[2:] for line in comment.splitlines()]
    rows = [re.match(r"  ([A-Z_]+) +(.*)", line).groups() for line in lines if re.match(r"  [A-Z_]+ ", line)]
    rest = [line for line in lines if not re.match(r"  [A-Z_]+ ", line)]
    signature_end = rest.index("")
    signature = "\n".join(rest[:signature_end])
    prose = re.sub(r"\n{3,}", "\n\n", "\n".join(rest[signature_end + 1:]))
    paragraphs = prose.split("\n\n")
    return ("## lathe_add_graph\n\n```cmake\n" + signature + "\n```\n\n" + paragraphs[0] + "\n\n" +
            table(rows).replace("| option |", "| argument |") + "\n" + "\n\n".join(paragraphs[1:]).strip() + "\n")


def page(build):
    return "\n".join([INTRODUCTION, tool_page(build, "lathec"), tool_page(build, "lathe-run"), opt_page(build),
                      tool_page(build, "lathe-lsp-server"), tool_page(build, "lathe-fuzz"), add_graph_page()])
