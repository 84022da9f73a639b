"""docs/std.md: the composite library, from its templates and docs/std-examples.mlir."""
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIBRARY = ROOT / "dialects/Lathe/Std"
EXAMPLES = ROOT / "docs/std-examples.mlir"
OUTPUT = ROOT / "docs/std.md"

# Files in the page's order, with their headings.
PAGES = {"activations": "Activations", "softmax": "Softmax", "norms": "Normalisations", "layers": "Layers",
         "recurrent": "Recurrent layers", "decoding": "Decoding", "solvers": "Solvers", "losses": "Losses",
         "optimizers": "Optimisers", "schedules": "Schedules", "reductions": "Reductions", "shapes": "Shapes and indices",
         "random": "Random numbers"}

INTRODUCTION = """\
# The composite library

<!-- Made by scripts/generate-docs from dialects/Lathe/Std/*.lathe-template; edit those. -->

`lathe.std.NAME` is a function of the library, made at each use of plain ops for the types, ranks and options at hand. Operands
come first, then operands that may be left out and options, each behind its name, in any order: `lathe.std.gelu %x approximation
tanh : tensor<?x8xf32>`. The types are those of all operands in order; one is enough where all are equal. Dimensions may count
from the end: -1 is the last. Real options are written with a point. On f16 and bf16 a composite computes in f32 and rounds its
results once; one that only moves elements keeps them.

Derivatives, `lathe.vmap`, fusion and the kernels see the plain ops, so a composite has what they have, but for the few whose
entry tells of a derivative of their own; nothing recognises it by its name. `lathe-opt --lathe-expand-std graph.mlir` prints the functions that a graph's uses become: text to copy and change.
The templates are in [dialects/Lathe/Std](../dialects/Lathe/Std); their notation is at the end of this page.
"""

NOTATION = """\
## The notation of templates

```text
/// log(sum(exp(x))) along `dims`: what the template means comes first.
template @logsumexp(%x: float, dims: dims = all, keep: flag) {
  %largest = lathe.std.max %x dims [$dims] keep
  if keep {
    ...
```

- Operands are `%name: kind` with a kind of float, number, integer, index (i32 or i64), bool or any; `%name?` may be left out,
  `%name*` is a list of as many as the use gives.
- Options are `name: kind = default` with a kind of dim, dims, int, ints, real, flag, `one_of(a, b)`, checkpoint (as a loop's) or
  function (`@f`); without a default all but flags and checkpoints must be given. Dimensions refer to the first operand.
- A line is an op as in a graph. Its types may be left out where they are those of its operands, in order. A name may be given
  anew. `$option` stands for an option's value and `${...}` for an expression over options and the ranks and extents of operands;
  dialects/Lathe/Std/Expression.h lists its functions.
- The regions of branches and loops stand in braces as in a graph, without any type: carries, slices, results and what is yielded
  have theirs from the values outside. Names that are given in a region are gone behind it.
- `call $function(%x, %with...) -> %x, tensor<f32>` calls what an option names; its results have the types of these values, or
  those that are written. Ops with such a signature, as lathe.jvp, are written alike.
- `%list...` stands for all values of a list, and on the left for the results that are left over. `%new... = each lathe.abs
  %list...` is the line for each of them, `%first, %rest... = %list...` names them.
- `tangent @logsumexp(...)` beside a template is its derivative in place of the one that follows from its lines. It takes the same
  operands and options and a list `%tangents*` of a tangent of each float operand; it returns what the template does, then a
  tangent of each float result. Where it uses the composite itself, the derivative holds again.
- `if`, `} else if` and `} else {` choose lines by an option, by whether an operand is given, or by a comparison; `fail "..."`
  refuses the use at its place. The first `return` that is reached ends the template.
- `moves` before the brace says that elements are only moved.
"""


class Template:
    def __init__(self, name, meaning, signature):
        self.name, self.meaning = name, meaning
        parameters = [p.strip() for p in re.split(r",(?![^\[(]*[\])])", signature) if p.strip()]
        self.operands = [p for p in parameters if p.startswith("%")]
        self.options = [p for p in parameters if not p.startswith("%")]


def templates(path):
    """The file's introduction and its templates."""
    text = path.read_text()
    introduction = " ".join(re.match(r"((?://(?!/).*\n)*)", text)[1].replace("//", "").split())
    found = re.findall(r"((?:^/// [^\n]*\n)+)^template @(\w+)\((.*?)\)[\w ]*\{$", text, re.M | re.S)
    return introduction, [Template(name, " ".join(meaning.replace("///", "").split()), " ".join(signature.split()))
                          for meaning, name, signature in found]


def examples():
    """name -> uses of the composite."""
    uses = {}
    for line in EXAMPLES.read_text().splitlines():
        if line.startswith("lathe.std."):
            uses.setdefault(re.match(r"lathe\.std\.(\w+)", line)[1], []).append(line)
    return uses


def functions(name=None):
    """The functions that uses call, or the one of this name."""
    found = re.findall(r"^func\.func private @(\w+)\(.*?^}\n", EXAMPLES.read_text(), re.M | re.S)
    texts = [match[0] for match in re.finditer(r"^func\.func private @\w+\(.*?^}\n", EXAMPLES.read_text(), re.M | re.S)]
    return "".join(text for each, text in zip(found, texts) if name in (None, each))


def operand_text(operand):
    name, kind = (part.strip() for part in operand.split(":"))
    words = ", optional" if "?" in name else ", as many as there are" if "*" in name else ""
    return f"`{re.sub('[?*]', '', name)}` {kind}{words}"


def page():
    """The page, and what is missing for it."""
    uses, faults, parts = examples(), [], [INTRODUCTION]
    files = {path.stem: path for path in LIBRARY.glob("*.lathe-template")}
    faults += [f"scripts/std_reference.py gives {name}.lathe-template no heading" for name in sorted(set(files) - set(PAGES))]
    for stem, heading in PAGES.items():
        if stem not in files:
            continue
        introduction, found = templates(files[stem])
        parts.append(f"## {heading}\n\n{introduction}\n")
        for template in found:
            if template.name not in uses:
                faults.append(f"docs/std-examples.mlir has no use of lathe.std.{template.name}")
            parts.append(f"### {template.name}\n\n{template.meaning}\n")
            rows = [f"- operands: {'; '.join(map(operand_text, template.operands))}"]
            if template.options:
                rows.append(f"- options: {', '.join(f'`{option}`' for option in template.options)}")
            rows += [f"- `{use}`" for use in uses.get(template.name, [])]
            parts.append("\n".join(rows) + "\n")
        called = dict.fromkeys(name for template in found for use in uses.get(template.name, []) for name in re.findall(r"@(\w+)", use))
        parts += [f"The examples call this function.\n\n```mlir\n{functions(name)}```\n" for name in called]
    return "\n".join(parts + [NOTATION]), faults
