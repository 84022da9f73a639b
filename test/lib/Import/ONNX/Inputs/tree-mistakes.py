"""Writes a model with a node for each mistake that a TreeEnsembleRegressor can have: tree-mistakes.py GOOD.textproto OUT.textproto."""
import re
import sys


def changed(text, name, change):
    """Changes the list of numbers or words of an attribute."""
    pattern = re.compile(r'(name: "%s" type: \w+ )([^}]*)' % name)
    assert pattern.search(text), name
    return pattern.sub(lambda match: match[1] + change(match[2]), text)


def put(position, value):
    def change(elements):
        parts = re.findall(r'(\w+: )("[^"]*"|\S+)', elements)
        parts[position] = (parts[position][0], value)
        return " ".join(a + b for a, b in parts) + " "

    return change


MISTAKES = [
    ("nodes_featureids", lambda elements: "ints: 0 "),
    ("nodes_modes", put(1, '"BRANCH"')),
    ("nodes_featureids", put(5, "2")),
    ("nodes_truenodeids", put(0, "9")),
    ("nodes_truenodeids", put(2, "2")),
    ("nodes_truenodeids", put(5, "0")),
    ("target_nodeids", put(0, "0")),
    ("target_ids", put(4, "1")),
    ("nodes_nodeids", put(2, "1")),
    ("aggregate_function", lambda elements: 's: "MEAN" '),
    ("post_transform", lambda elements: 's: "LOG" '),
    ("base_values", lambda elements: "floats: 1 floats: 2 "),
]
lines = open(sys.argv[1]).read().splitlines(keepends=True)
with open(sys.argv[2], "w") as out:
    for line in lines:
        if line.startswith("  node"):
            for letter, (name, change) in zip("abcdefghijkl", MISTAKES):
                out.write(changed(line.replace('output: "y"', f'output: "{letter}"'), name, change))
        elif line.startswith("  output"):
            out.writelines(f'  output {{ name: "{letter}" }}\n' for letter in "abcdefghijkl")
        else:
            out.write(line)
