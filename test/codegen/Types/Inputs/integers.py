"""integers.py TYPE...: runs a graph of each integer type over all pairs of numbers at the ends of its range and around zero, in
each way that lathe-run has, and compares with Python's integers."""
import itertools
import subprocess
import sys

import npyfile

DESCRIPTIONS = {"i8": "|i1", "i16": "<i2", "i32": "<i4", "i64": "<i8", "ui8": "|u1", "ui16": "<u2", "ui32": "<u4", "ui64": "<u8"}
WAYS = [["--interpret"], ["-O0"], ["--target=x86-64-v2"], ["--target=x86-64-v3"], []]


def wrapped(value, signed=None, bits=None):
    signed, bits = is_signed if signed is None else signed, bits or width
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> bits - 1 else value


def low_bits(value):
    return value & (1 << width) - 1


def truncated(x, y):
    quotient = abs(x) // abs(y)
    return quotient if (x < 0) == (y < 0) else -quotient


BINARY = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y,
    "div": lambda x, y: -1 if y == 0 else truncated(x, y),
    "rem": lambda x, y: x if y == 0 else x - truncated(x, y) * y,
    "max": max, "min": min, "and": lambda x, y: x & y, "or": lambda x, y: x | y, "xor": lambda x, y: x ^ y,
    "shift_left": lambda x, y: low_bits(x) << y if 0 <= y < width else 0,
    "shift_right": lambda x, y: low_bits(x) >> y if 0 <= y < width else 0,
    "shift_right_arithmetic": lambda x, y: x >> y if 0 <= y < width else -(x < 0),
    "floor_div": lambda x, y: -1 if y == 0 else x // y, "floor_mod": lambda x, y: x if y == 0 else x % y,
    "pow": lambda x, y: pow(x, y, 1 << width) if y >= 0 else -1 if x == 0 else truncated(1, x) ** (-y % 2 or 2),
}
UNARY = {
    "neg": lambda x: -x, "abs": abs, "sign": lambda x: (x > 0) - (x < 0), "not": lambda x: ~x,
    "popcount": lambda x: bin(low_bits(x)).count("1"), "count_leading_zeros": lambda x: width - low_bits(x).bit_length(),
    "count_trailing_zeros": lambda x: (low_bits(x) & -low_bits(x)).bit_length() - 1 if x else width,
}
COMPARE = {"lt": lambda x, y: x < y, "ge": lambda x, y: x >= y, "eq": lambda x, y: x == y}


def numbers():
    low, high = (-(1 << width - 1), (1 << width - 1) - 1) if is_signed else (0, (1 << width) - 1)
    near = [low, low + 1, low + 2, high, high - 1, high // 2, high // 2 + 1, high // 3, 0, 1, 2, 3, 7, width - 1, width, 100]
    return near + ([-1, -2, -7, -100, low // 2, low // 3] if is_signed else [high - 7])


def pairs():
    return [(x, y) for x in numbers() for y in numbers()]


def names_of_results():
    return [*BINARY, *UNARY, *COMPARE, *("to_" + other for other in OTHERS), "largest", "smallest", "first", "last",
            "sorted", "order", "running"]


def graph():
    with open("graph.mlir", "w") as file:
        file.write("\n".join(lines_of_graph()) + "\n")


def lines_of_graph():
    tensor = f"tensor<?x{element}>"
    results = names_of_results()
    types = [*[tensor] * (len(BINARY) + len(UNARY)), *["tensor<?xi1>"] * len(COMPARE), *[f"tensor<?x{other}>" for other in OTHERS],
             *[f"tensor<{element}>"] * 2, *["tensor<i32>"] * 2, tensor, "tensor<?xi32>", tensor]
    dims = "{lathe.dims = #lathe.dims<N>}"
    named = ", ".join(f'{kind} {{lathe.name = "r_{result}"}}' for kind, result in zip(types, results))
    yield f"func.func @all(%x: {tensor} {dims}, %y: {tensor} {dims}) -> ({named}) {{"
    for op in BINARY:
        yield f"  %{op} = lathe.{op} %x, %y : {tensor}"
    for op in UNARY:
        yield f"  %{op} = lathe.{op} %x : {tensor}"
    for kind in COMPARE:
        yield f"  %{kind} = lathe.compare {kind} %x, %y : {tensor}"
    for other in OTHERS:
        yield f"  %to_{other} = lathe.convert %x to {other} : {tensor}"
    yield f"  %largest = lathe.reduce max %x dims [0] : {tensor}\n  %smallest = lathe.reduce min %x dims [0] : {tensor}"
    yield f"  %first = lathe.argmax %x dim 0 : {tensor}\n  %last = lathe.argmin %x dim 0 : {tensor}"
    yield f"  %sorted = lathe.sort %x dim 0 : {tensor}\n  %order = lathe.argsort %x dim 0 : {tensor}"
    yield f"  %running = lathe.cumulative max %x dim 0 : {tensor}"
    yield f"  return {', '.join('%' + result for result in results)} : {', '.join(types)}\n}}"


def check():
    def same(name, expected):
        given = npyfile.read_values(f"r_{name}.npy")
        wrong = [i for i, (a, b) in enumerate(zip(given, expected, strict=True)) if a != b]
        if wrong:
            i = wrong[0]
            place = pairs()[i] if len(expected) > 1 else ""
            sys.exit(f"{element} {name} {place}: {given[i]}, expected {expected[i]}; {len(wrong)} differ")

    for op, f in BINARY.items():
        same(op, [wrapped(f(x, y)) for x, y in pairs()])
    for op, f in UNARY.items():
        same(op, [wrapped(f(x)) for x, _ in pairs()])
    for kind, f in COMPARE.items():
        same(kind, [f(x, y) for x, y in pairs()])
    for other in OTHERS:
        same("to_" + other, [wrapped(x, other[0] == "i", int(other.lstrip("ui"))) for x, _ in pairs()])
    column = [x for x, _ in pairs()]
    same("largest", [max(column)])
    same("smallest", [min(column)])
    same("first", [column.index(max(column))])
    same("last", [column.index(min(column))])
    same("sorted", sorted(column))
    same("order", sorted(range(len(column)), key=column.__getitem__))
    same("running", list(itertools.accumulate(column, max)))


def run(way):
    names = names_of_results()
    subprocess.run(["lathe-run", "graph.mlir", "--input=x=@x.npy", "--input=y=@y.npy", *way,
                    *(f"--output=r_{name}=@r_{name}.npy" for name in names)], check=True)


for element in sys.argv[1:]:
    is_signed, width = element[0] == "i", int(element.lstrip("ui"))
    OTHERS = [other for other in DESCRIPTIONS if other != element]
    graph()
    for name, values in (("x", [x for x, _ in pairs()]), ("y", [y for _, y in pairs()])):
        npyfile.write(name + ".npy", DESCRIPTIONS[element], values)
    for way in WAYS:
        run(way)
        check()
    print(f"{element}: {len(pairs())} pairs agree in {len(WAYS)} ways")
