"""The comparisons that the tests of generated code make, for tests that make them once more on another machine."""
import re
import shlex


def commands(path):
    """The lathe-run lines of a test that compare with the interpreter, as lists of words."""
    text = path.read_text().replace("\\\n", " ")
    for line in re.findall(r"RUN: (?:env \S+ )?(lathe-run .*)", text):
        line = line.split(" | ")[0].split(" > ")[0].replace("%s", str(path)).replace("%S", str(path.parent))
        words = shlex.split(line)
        if "--check" in words and "%t" not in line: # not of files that other lines of the test make
            yield words


def option(words, name):
    """All values of an option, in both spellings."""
    found = [word.split("=", 1)[1] for word in words if word.startswith(name + "=")]
    return found + [words[i + 1] for i, word in enumerate(words[:-1]) if word == name]


def entry(words):
    """The function that a command runs: the one it names, or the graph's first."""
    if not words[2].startswith("-"):
        return words[2]
    with open(words[1]) as graph:
        return re.search(r"func\.func @(\w+)", graph.read()).group(1)
