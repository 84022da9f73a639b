"""Makes docs/std.md: the composite library, from its templates and docs/std-examples.mlir."""
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

`lathe.std.NAME` is a composite: each use becomes a call of a function of plain ops, made for the use's types, ranks and options.
The operands come first. Optional operands and options follow in any order, each after its name: `lathe.std.gelu %x approximation
tanh : tensor<?x8xf32>`. The types are those of all operands in order; one type is enough if all are equal. Dimensions may count
from the end: -1 is the last. Real options are written with a decimal point. On f16 and bf16 a composite computes in f32 and rounds
its results once; one that only moves elements does not change them.

Derivatives, `lathe.vmap`, fusion and the kernels see only the plain ops, so composites work with all of them. A few composites have
a derivative of their own, as their entries say. `lathe-opt --lathe-expand-std graph.mlir` prints the functions that a graph's uses
become: text to copy and change. The templates are in [dialects/Lathe/Std](../dialects/Lathe/Std); their notation is at the end of
this page.
"""

NOTATION = """\
## The notation of templates

```text
/// log(sum(exp(x))) along `dims`. A template begins with a description.
template @logsumexp(%x: float, dims: dims = all, keep: flag) {
  %largest = lathe.std.max %x dims [$dims] keep
  if keep {
    ...
```

- Operands are `%name: kind`, where the kind is float, number, integer, index (i32 or i64), bool or any. `%name?` is optional;
  `%name*` is a list of any number of operands.
- Options are `name: kind = default`, where the kind is dim, dims, int, ints, real, flag, `one_of(a, b)`, checkpoint (as in a loop)
  or function (`@f`). Options without a default must be given, except for flags and checkpoints. Dimensions refer to the first
  operand.
- A line is an op as in a graph. Its types may be omitted if they are those of its operands, in order. A name may be defined again.
  `$option` is replaced by an option's value, and `${...}` by the value of an expression over options and the ranks and extents of
  operands; dialects/Lathe/Std/Expression.h lists its functions.
- The regions of branches and loops are written in braces, as in a graph, but without types: those of carries, slices, results and
  yielded values follow from the values outside. Names that a region defines do not exist after it.
- `call $function(%x, %with...) -> %x, tensor<f32>` calls the function that an option names. Its results have the types of these
  values, or the types that are written. Ops with such a signature, such as lathe.jvp, are written the same way.
- `%list...` is replaced by all values of a list; on the left it receives the remaining results. `%new... = each lathe.abs
  %list...` repeats the line for each of them, and `%first, %rest... = %list...` names them.
- `tangent @logsumexp(...)` beside a template defines its derivative, in place of the one that follows from its lines. It has the
  same operands and options, and a list `%tangents*` with a tangent of each float operand. It returns the template's results, then
  a tangent of each float result. If it uses the composite itself, the same derivative applies to that use.
- `if`, `} else if` and `} else {` select lines by an option, by the presence of an operand, or by a comparison; `fail "..."`
  refuses the use with an error at its line. The first `return` that is reached ends the template.
- `moves` before the brace means that elements are only moved.
"""


class Template:
    def __init__(self, name, meaning, signature):
        self.name, self.meaning = name, meaning
        parameters = [p.strip() for p in re.split(r",(?![^\[(]*[\])])", signature) if p.strip()]
        self.operands = [p for p in parameters if p.startswith("%")]
        self.options = [p for p in parameters if not p.startswith("%")]


def templates(path):
    """Returns the file's introduction and its templates."""
    text = path.read_text()
    introduction = " ".join(re.match(r"((?://(?!/).*\n)*)", text)[1].replace("//", "").split())
    found = re.findall(r"((?:^/// [^\n]*\n)+)^template @(\w+)\((.*?)\)[\w ]*\{$", text, re.M | re.S)
    return introduction, [Template(name, " ".join(meaning.replace("///", "").split()), " ".join(signature.split()))
                          for meaning, name, signature in found]


def examples():
    """Returns {name: uses of the composite}."""
    uses = {}
    for line in EXAMPLES.read_text().splitlines():
        if line.startswith("lathe.std."):
            uses.setdefault(re.match(r"lathe\.std\.(\w+)", line)[1], []).append(line)
    return uses


def functions(name=None):
    """Returns the functions that uses call, or the one of this name."""
    found = re.findall(r"^func\.func private @(\w+)\(.*?^}\n", EXAMPLES.read_text(), re.M | re.S)
    texts = [match[0] for match in re.finditer(r"^func\.func private @\w+\(.*?^}\n", EXAMPLES.read_text(), re.M | re.S)]
    return "".join(text for each, text in zip(found, texts) if name in (None, each))


def operand_text(operand):
    name, kind = (part.strip() for part in operand.split(":"))
    words = ", optional" if "?" in name else ", any number" if "*" in name else ""
    return f"`{re.sub('[?*]', '', name)}` {kind}{words}"


def page():
    """Returns the page, and what is missing for it."""
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
