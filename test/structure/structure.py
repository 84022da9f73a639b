"""Checks the tree's structure: structure.py ROOT. Dependencies run downward, files and functions stay readable, and nothing
names a path of somebody's machine. Prints each fault as FILE:LINE: what; exits 1 if there is one."""
import os
import re
import sys

# Each folder may include those after it, and itself. Folders of one row may not include each other, but for `family`.
# Reading a graph reports what inference finds wrong in it, so lib/Import is above the passes that infer.
ORDER = [["tools"], ["lib/Compiler"], ["codegen", "lib/Import"], ["passes"], ["lib/Analysis"], ["dialects"], ["lib/Support"]]
RANK = {folder: rank for rank, row in enumerate(ORDER) for folder in row}
INSIDE = [["codegen/Emit"], ["codegen/GPU"], ["codegen/CPU"], ["codegen/Points"], ["codegen/Kernels", "codegen/Math"], ["codegen/Schedules"]]  # the same, of a folder
INSIDE_RANK = {folder: rank for rank, row in enumerate(INSIDE) for folder in row}
ALONE = {"passes"}  # their folders never include each other
APART = {("codegen", "passes")}  # the first may not include the second, although it is below: only the IR connects them
FACE = "include/lathe"

MOST_LINES = 500
MOST_FUNCTION_LINES = 80
SOURCES = (".cpp", ".h", ".c", ".td", ".py")
MACHINE_PATH = re.compile(r"(?:^|[^\w.$}/-])/(?:work|home|root|Users)/")
INCLUDE = re.compile(r'^\s*(?:#\s*)?include\s+(["<])([^">]+)[">]')


def files(root):
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if not f.startswith((".", "build")) and f not in ("data", "__pycache__"))
        for name in sorted(set(names) - {".git"}):  # a file in a worktree
            yield os.path.relpath(os.path.join(folder, name), root)


def home(path):
    """The architecture's folder that holds a path: passes/Fusion/Fuse.h -> passes."""
    return next((folder for folder in RANK if path.startswith(folder + "/")), None)


def group(path):
    return "/".join(path.split("/")[:2])


def include_fault(path, quote, target):
    """Returns the fault in `path` including `target`, or None."""
    compiler = target.startswith(("mlir/", "llvm/", "clang/", "lld/"))
    if path.startswith(FACE + "/"):
        return "the public face includes the compiler's headers" if compiler or home(target) else None
    if path.startswith("runtime/"):
        outside = compiler or quote == '"' and "/" in target and target not in ("lathe/runtime.h", "lathe/ranks.h", "lathe/mpi.h")
        return "the runtime includes something outside of it" if outside else None
    if path.startswith("python/"):
        outside = compiler or quote == '"' and not target.startswith(("python/", "lathe/"))
        return "the Python package includes the compiler: it runs lathec" if outside else None
    if path.startswith("test/"):
        return None
    if target.startswith("CLI/") and not path.startswith("tools/"):
        return "command lines belong to tools/"
    if target.startswith(("llvm/Target/", "llvm/MC/TargetRegistry")) and home(path) != "codegen":
        return "LLVM targets belong to codegen/"
    mine, other = home(path), home(target)
    if quote == "<" or not mine or not other:
        return None
    if (mine, other) in APART:
        return f"{mine} includes {other}, which it must not know"
    if RANK[other] < RANK[mine]:
        return f"{mine} includes {other}, which is above it"
    if INSIDE_RANK.get(group(target), len(INSIDE)) < INSIDE_RANK.get(group(path), -1):
        return f"{group(path)} includes {group(target)}, which is above it"
    if RANK[other] == RANK[mine] and (mine != other or mine in ALONE and group(path) != group(target)):
        return f"{group(path)} includes its neighbour {group(target)}"
    return None


def without_text(source):
    """The source with comments and the contents of strings gone, line breaks kept."""
    def blank(match):
        return "\n" * match.group().count("\n") + ('""' if match.group()[0] in "\"R'" else "")
    return re.sub(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'', blank, source, flags=re.S)


def without_macros(source):
    return re.sub(r"(?m)^[ \t]*#(?:.*\\\n)*.*", lambda match: "\n" * match.group().count("\n"), source)


NO_FUNCTION = re.compile(r"^(?:template\s*<.*>\s*)?(?:typedef\s+)?(?:namespace|struct|class|enum|union|extern|if|for|while|switch|do|else)\b")


def functions(source):
    """(first line, length) of each outermost function."""
    line, start, statement, stack = 1, 1, "", []
    for token in re.finditer(r"\n|[{};]|[^\n{};]+", without_macros(without_text(source))):
        text = token.group()
        if text == "\n":
            line += 1
            statement += " "
        elif text == "{":
            words = statement.strip()
            stack.append(start if "(" in words and not NO_FUNCTION.match(words) and not any(stack) else None)
            statement = ""
        elif text == "}":
            first = stack.pop() if stack else None
            if first and not any(stack):
                yield first, line - first + 1
            statement = ""
        elif text == ";":
            statement = ""
        else:
            if not statement.strip() and text.strip():
                start = line
            statement += text


def faults_of(root, path):
    try:
        with open(os.path.join(root, path), encoding="utf-8") as file:
            source = file.read()
    except UnicodeDecodeError:
        return
    lines = source.splitlines()
    for number, line in enumerate(lines, 1):
        if MACHINE_PATH.search(line):
            yield number, "a path of somebody's machine"
        match = INCLUDE.match(line) if path.endswith((".cpp", ".h", ".c", ".td")) else None
        fault = include_fault(path, *match.groups()) if match else None
        if fault:
            yield number, f"{fault}: {match.group(2)}"
    if path.endswith(SOURCES) and len(lines) > MOST_LINES:
        yield len(lines), f"{len(lines)} lines, more than {MOST_LINES}"
    if path.endswith((".cpp", ".h", ".c")):
        for first, length in functions(source):
            if length > MOST_FUNCTION_LINES:
                yield first, f"a function of {length} lines, more than {MOST_FUNCTION_LINES}"


def check(root):
    return [f"{path}:{line}: {what}" for path in files(root) for line, what in faults_of(root, path)]


if __name__ == "__main__":
    found = check(sys.argv[1])
    print("\n".join(found) if found else "structure: sound")
    sys.exit(bool(found))
