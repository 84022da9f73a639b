"""check_numbers.py FOLDER: each composite against its definition, interpreted and compiled, for several sizes."""
import math
import sys
from pathlib import Path

from cases import DEFINITIONS, TEMPLATES, Case, graphs_of, std_reference
from edges import ENDS, OTHERS

EXAMPLES = [Case(line) for uses in std_reference.examples().values() for line in uses]


def close(got, expected, tolerance, floor):
    if math.isnan(expected) or math.isnan(got):
        return math.isnan(expected) and math.isnan(got)
    return got == expected or abs(got - expected) <= tolerance * abs(expected) + floor


def faults_of(case, got, expected, element):
    # Half a unit in the last place of an f16, and the f32 that it is rounded from, once.
    tolerance, floor = (1e-12, case.floor) if element == "f64" else (2 ** -11 * 1.01, 2e-6)
    for j, (ours, theirs) in enumerate(zip(got, expected)):
        type = element if theirs.element == "f64" else theirs.element
        if ours.element != type:
            yield f"{case.line}: result {j} is {ours.element}, by definition {type}"
        for i, (a, b) in enumerate(zip(ours.values, theirs.values)):
            if not close(a, b, tolerance, floor):
                yield f"{case.line}: result {j}, entry {i} is {a}, by definition {b}"


def main():
    folder = Path(sys.argv[1])
    faults = [f"no definition of {name}" for name in TEMPLATES if name not in DEFINITIONS]
    faults += [f"no example of {name}" for name in TEMPLATES if name not in std_reference.examples()]
    faults += [f"the library has no {name}" for name in DEFINITIONS if name not in TEMPLATES]
    everything = EXAMPLES + ENDS + OTHERS
    ways = [(everything, 3, "f64", "--interpret"), (EXAMPLES + ENDS, 3, "f64", "-O2"), (OTHERS, 3, "f64", "-O0"),
            (EXAMPLES, 1, "f64", "--interpret"), (EXAMPLES, 1, "f64", "--specialize=N=1"), (EXAMPLES, 3, "f16", "--interpret"),
            (EXAMPLES, 3, "f16", "-O2")]
    for cases, n, element, word in ways:
        compared, way = 0, f"{element}, N={n} {word}"
        for graph in graphs_of([case for case in cases if (n == 3 or case.has_sizes()) and not (element == "f16" and case.calls())], 16 if word in ("--interpret", "-O0") else 6):
            for case, got, expected in graph.run(folder, n, word, element=element):
                faults += [f"{way}: {fault}" for fault in faults_of(case, got, expected, element)]
                compared += 1
        print(f"{way}: {compared} uses compared")
    print("\n".join(faults) or "all agree")
    sys.exit(bool(faults))


main()
