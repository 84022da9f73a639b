"""check_numbers.py FOLDER: each composite against its definition, interpreted and compiled, for several sizes."""
import math
import sys
from pathlib import Path

from cases import DEFINITIONS, TEMPLATES, Case, graphs_of, std_reference
from edges import CASES

EXAMPLES = [Case(line) for uses in std_reference.examples().values() for line in uses]


def close(got, expected, tolerance, floor):
    if math.isnan(expected) or math.isnan(got):
        return math.isnan(expected) and math.isnan(got)
    return got == expected or abs(got - expected) <= tolerance * abs(expected) + floor


def faults_of(case, got, expected, tolerance=1e-12):
    for j, (ours, theirs) in enumerate(zip(got, expected)):
        if ours.element != theirs.element:
            yield f"{case.line}: result {j} is {ours.element}, by definition {theirs.element}"
        for i, (a, b) in enumerate(zip(ours.values, theirs.values)):
            if not close(a, b, tolerance, case.floor):
                yield f"{case.line}: result {j}, entry {i} is {a}, by definition {b}"


def main():
    folder = Path(sys.argv[1])
    faults = [f"no definition of {name}" for name in TEMPLATES if name not in DEFINITIONS]
    faults += [f"no example of {name}" for name in TEMPLATES if name not in std_reference.examples()]
    faults += [f"the library has no {name}" for name in DEFINITIONS if name not in TEMPLATES]
    graphs = graphs_of(EXAMPLES + CASES)
    for n, words in ((3, ["--interpret"]), (3, []), (1, ["--interpret"]), (1, ["--specialize=N=1"])):
        for graph in graphs if n == 3 else [graph for graph in graphs if graph.has_sizes()]:
            for case, got, expected in graph.run(folder, n, *words):
                faults += [f"N={n} {' '.join(words)}: {fault}" for fault in faults_of(case, got, expected)]
    print("\n".join(faults))
    sys.exit(bool(faults))


main()
