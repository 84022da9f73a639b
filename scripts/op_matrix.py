"""Makes the table of each op's support in the compiler, from the output of the program op-facts and the names of the tests."""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "test/docs"))
from examples import as_module  # noqa: E402

COLUMNS = ["verifier tests", "inference", "folds", "interpreter", "tangent", "transpose", "batching", "CPU", "GPU", "example"]

# Reasons for empty cells, for families and for single ops. An op that has something in spite of its reason is an error, so that no
# reason becomes outdated. Row derives the reasons that follow from the types of operands and results.
STAGES = ["inference", "folds", "interpreter", "tangent", "transpose", "batching", "CPU", "GPU"]
REASONS = {
    "RandomOps": dict.fromkeys([stage for stage in STAGES if stage != "inference"], "n/a: import expands it"),
    "StateOps": dict.fromkeys(STAGES, "n/a: becomes arguments and results"),
    "KernelOps": {"folds": "n/a: made after all folds", "example": "n/a: only passes make it"}
    | dict.fromkeys(["tangent", "transpose", "batching"], "n/a: made after autodiff"),
    "extern_tangent": dict.fromkeys(["folds", "interpreter", "batching", "CPU", "GPU", "example"], "n/a: autodiff removes it"),
    "call_tangent": dict.fromkeys(["tangent", "transpose"]) # it has both
    | dict.fromkeys(["verifier tests", "inference"], "n/a: made with its types")
    | dict.fromkeys(["folds", "interpreter", "batching", "CPU", "GPU", "example"], "n/a: autodiff removes it"),
    "ControlOps": {"inference": "n/a: import infers through its regions"},
}
for op in ("yield", "condition"):
    REASONS[op] = {"verifier tests": "n/a: the op around it checks it", "folds": "n/a: ends a region",
                   "inference": "n/a: ends a region", "batching": "n/a: ends a region", "example": "n/a: in those of the op around it"}
for op in ("kernel", "scratch", "strips", "nest", "element", "apply"):
    REASONS[op] = REASONS.get(op, {}) | {"inference": "n/a: made with its types"}
REASONS["DebugOps"] = {"inference": "n/a: no result"}
REASONS["check"] = {"inference": "n/a: no result", "example": None}  # lathec --check makes it
REASONS |= {op: dict.fromkeys(STAGES, "n/a: a declaration") for op in ("variable", "dim")}
REASONS["extern"] = {"GPU": "n/a: the host calls it"}
REASONS |= {op: {"GPU": "n/a: the communicator runs it"}
            for op in ("all_reduce", "reduce_scatter", "all_gather", "all_to_all", "collective_broadcast", "collective_permute",
                       "axis_index")}
REASONS["collective_wait"] = (dict.fromkeys(["CPU", "GPU"], "n/a: the communicator runs it")
                              | {"verifier tests": "n/a: made with its types", "interpreter": "n/a: the collective has ended"})
REASONS["std"] = dict.fromkeys([stage for stage in STAGES if stage != "inference"], "n/a: becomes plain ops at import")
REASONS["set_dim_size"] = dict.fromkeys([stage for stage in STAGES if stage != "inference"], "n/a: import replaces it by its operand")
REASONS["stop_gradient"] = dict.fromkeys(["CPU", "GPU"], "n/a: autodiff removes it")
REASONS["conv_input_grad"] = {"CPU": "n/a: becomes a conv", "GPU": "n/a: becomes a conv, except in GPU-only objects"}
REASONS["checkpoint"] = dict.fromkeys(["CPU", "GPU"], "n/a: its ops replace it")
REASONS |= {op: dict.fromkeys(STAGES, "n/a: autodiff replaces it") for op in ("value_and_grad", "jvp", "vjp", "vmap")}

# Ops without an identity that simplifies them for every operand, including NaN and signed zero.
NO_IDENTITY = """
    sign sqrt is_nan is_inf is_finite popcount count_leading_zeros count_trailing_zeros rem floor_div floor_mod copysign
    nextafter xor shift_left shift_right shift_right_arithmetic ldexp clamp compare iota argmax argmin dot_general conv
    conv_input_grad conv_filter_grad scatter random_bits window_index window_gather window_scatter
    argsort top_k triangular_solve cholesky extern print
""".split()


def facts_of(ops, examples, tool):
    """Returns {op: its facts} from op-facts, and the lines of its error output."""
    text = "".join(f"// -----\n// lathe.{op.name}\n{as_module(op.example(examples))}\n" for op in ops if op.example(examples))
    with tempfile.TemporaryDirectory() as folder:
        driver = Path(tool).parent.parent / "test/cuda-standin"  # a stand-in for the GPU's driver
        done = subprocess.run([tool, folder], input=text, text=True, capture_output=True,
                              env=dict(os.environ, LD_LIBRARY_PATH=str(driver)))
    if not done.stdout:
        sys.exit(f"{tool} fails\n{done.stderr}")
    return json.loads(done.stdout), done.stderr.splitlines()


def named_tests():
    paths = [path for folder in ("test/dialects", "test/lib/Import", "test/passes") for path in sorted((ROOT / folder).glob("**/*.mlir"))]
    text = "\n".join(path.read_text() for path in paths)
    return set(re.findall(r"\b\w+_c\d+\b", text))


class Row:
    def __init__(self, op, facts, tests):
        self.op, self.facts, self.tests, self.holes = op, facts, tests, []
        self.reasons = REASONS.get(op.family, {}) | REASONS.get(op.name, {})

    def cells(self):
        values = {"verifier tests": self.verifier(), "folds": self.folds(), "tangent": self.tangent(),
                  "transpose": self.transpose()}
        for column, fact in [("inference", "infers"), ("interpreter", "interpreted"), ("batching", "batching"),
                             ("CPU", "compiled"), ("GPU", "gpu"), ("example", "shown")]:
            values[column] = self.cell(column, "yes" if self.facts[fact] else "", self.no_operands(column))
        return [f"`{self.op.name}`"] + [values[column] for column in COLUMNS]

    def cell(self, column, found, reason=None):
        """Returns `found`, or the reason why the cell is empty. Records a hole if both or neither exist."""
        reason = self.reasons.get(column) or reason
        if found and reason:
            self.holes.append(f"{column} is there, and said to be {reason}")
        elif not found and not reason:
            self.holes.append(f"no {column}")
        return found or reason or "missing"

    def no_operands(self, column):
        return "n/a: no operands" if column == "batching" and not self.op.operands else None

    def verifier(self):
        tested = [number for number in self.op.constraints if f"{self.op.name}_c{number}" in self.tests]
        self.holes += [f"(C{number}) has no test" for number in self.op.constraints if number not in tested]
        found = [f"{len(tested)} of {len(self.op.constraints)}"] if self.op.constraints else []
        found += ["operand types"] * self.facts["refuses_operands"] + ["place"] * self.facts["refuses_place"]
        return self.cell("verifier tests", ", ".join(found))

    def folds(self):
        reason = "n/a: no identity" if self.facts["elementary"] or self.op.name in NO_IDENTITY else None
        return self.cell("folds", "yes" if self.op.folds else "", reason)

    def undifferentiated(self):
        """Returns the reason why the op's types rule out a derivative, or None."""
        if not self.op.operands:
            return "n/a: no operands"
        return None if self.op.gives_floats else "n/a: gives no floats"

    def tangent(self):
        return self.cell("tangent", self.facts["tangent"], self.undifferentiated())

    def transpose(self):
        reason = self.undifferentiated()
        if self.facts["tangent"] and not self.facts["linear"]:
            reason = "n/a: its tangent is zero" if self.facts["tangent"] == "zero" else "n/a: not linear"
        return self.cell("transpose", "yes" if self.facts["transpose"] else "", reason)


def matrix(ops, examples, tool):
    """Returns the table as text, and its holes."""
    facts, holes = facts_of(ops, examples, tool)
    tests = named_tests()
    lines = ["| op | " + " | ".join(COLUMNS) + " |", "|---" * (len(COLUMNS) + 1) + "|"]
    for op in ops:
        row = Row(op, facts.pop(op.name), tests)
        lines.append("| " + " | ".join(row.cells()) + " |")
        holes += [f"lathe.{op.name}: {what}" for what in row.holes]
    holes += [f"lathe.{name}: not in the documentation" for name in facts]
    return "\n".join(lines) + "\n", holes
