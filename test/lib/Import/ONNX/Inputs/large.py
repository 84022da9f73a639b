"""Writes large models: large.py CASE... writes CASE.onnx for each; all without one. Bytes, since protoc takes long for so many."""
import sys

COUNT = 100_000
NESTING = 30  # three messages a level; protobuf reads 100


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, value):
    """A field of a message: an integer, a text or a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def node(op, inputs, outputs, *attributes):
    return (b"".join(field(1, name) for name in inputs) + b"".join(field(2, name) for name in outputs) + field(4, op)
            + b"".join(field(5, attribute) for attribute in attributes))


def integer(name, value):
    return field(1, name) + field(3, value) + field(20, 2)


def branch(name, graph):
    return field(1, name) + field(6, graph) + field(20, 5)


def tensor(name, kind, dims, raw):
    return b"".join(field(1, dim) for dim in dims) + field(2, kind) + field(8, name) + field(9, raw)


def attributeOf(name, value):
    return field(1, name) + field(5, value) + field(20, 4)


def argument(name, kind, dims):
    """Dimensions are numbers or names."""
    shape = b"".join(field(1, field(1 if isinstance(dim, int) else 2, dim)) for dim in dims)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, shape)))


FLOAT, INT64, BOOL = 1, 7, 9
X = argument("x", FLOAT, [4])


def graph(nodes, outputs, inputs=(X,), initializers=()):
    return (b"".join(field(1, each) for each in nodes) + field(2, "g") + b"".join(field(5, each) for each in initializers)
            + b"".join(field(11, each) for each in inputs) + b"".join(field(12, field(1, each)) for each in outputs))


def model(body, functions=()):
    own = field(8, field(1, "own") + field(2, 1)) if functions else b""
    return (field(1, 8) + field(8, field(2, 17)) + own + field(7, body) + b"".join(field(25, each) for each in functions))


def chain(count=COUNT, prefix="v"):
    name = lambda i: f"{prefix}{i}" if i else "x"
    return [node("Relu", [name(i)], [name(i + 1)]) if i % 2 else node("Add", [name(i), "x"], [name(i + 1)])
            for i in range(count)]


def nested(levels):
    """An If in both branches of an If, the condition an input."""
    body = graph([node("Neg", ["x"], ["o"])], ["o"], [])
    for _ in range(levels):
        body = graph([node("If", ["c"], ["o"], branch("then_branch", body),
                           branch("else_branch", graph([node("Abs", ["x"], ["o"])], ["o"], [])))], ["o"], [])
    return body + field(11, X) + field(11, argument("c", BOOL, []))


def number(value, size=8):
    return value.to_bytes(size, "little")


names = lambda prefix, count=COUNT: [f"{prefix}{i}" for i in range(count)]

CASES = {
    "chain": lambda: model(graph(chain(), [f"v{COUNT}"])),
    "chain20k": lambda: model(graph(chain(20_000), ["v20000"])),
    "outputs": lambda: model(graph([node("Neg", ["x"], [name]) for name in names("v")], names("v"))),
    "wide": lambda: model(graph([node("Neg", ["x"], [name]) for name in names("v")] + [node("Sum", names("v"), ["y"])], ["y"])),
    "backwards": lambda: model(graph(chain()[::-1], [f"v{COUNT}"])),
    "initializers": lambda: model(graph(
        [node("Add", [f"v{i}" if i else "x", f"w{i}"], [f"v{i + 1}"]) for i in range(COUNT)], [f"v{COUNT}"],
        initializers=[tensor(name, FLOAT, [4], number(i, 4) * 4) for i, name in enumerate(names("w"))])),
    "unused": lambda: model(graph([node("Neg", ["x"], ["y"])], ["y"],
                                  initializers=[tensor(name, FLOAT, [4], bytes(16)) for name in names("w")])),
    "shapes": lambda: model(graph(
        [node("Shape", ["x"], ["s0"])]
        + [each for i in range(COUNT // 4)
           for each in (node("Gather", [f"s{i}", "zero"], [f"g{i}"]), node("Unsqueeze", [f"g{i}", "axes"], [f"u{i}"]),
                        node("Concat", [f"u{i}", f"u{i}"], [f"c{i}"], integer("axis", 0)),
                        node("Add", [f"c{i}", "one"], [f"s{i + 1}"]))]
        + [node("Gather", [f"s{COUNT // 4}", "zero"], ["last"]), node("Unsqueeze", ["last", "axes"], ["to"]),
           node("ConstantOfShape", ["to"], ["y"])], ["y"], [argument("x", FLOAT, ["n"])],
        [tensor("zero", INT64, [], bytes(8)), tensor("one", INT64, [1], number(1)), tensor("axes", INT64, [1], bytes(8))])),
    "constants": lambda: model(graph(
        [each for i in range(COUNT // 2)
         for each in (node("Constant", [], [f"c{i}"], attributeOf("value", tensor("", FLOAT, [4], number(i, 4) * 4))),
                      node("Add", [f"v{i}" if i else "x", f"c{i}"], [f"v{i + 1}"]))], [f"v{COUNT // 2}"])),
    "nested": lambda: model(nested(NESTING)),
    "deeper": lambda: model(nested(90)),
    "dead": lambda: model(graph([node("Neg", ["x"], ["y"])] + chain(), ["y"])),
    "names": lambda: model(graph([node("Neg", ["x"], ["v" * (16 << 20)]), node("Neg", ["v" * (16 << 20)], ["y"])], ["y"])),
    "concat": lambda: model(graph([node("Concat", ["x"] * COUNT, ["y"], integer("axis", 0))], ["y"])),
    "sum": lambda: model(graph([node("Sum", ["x"] * COUNT, ["y"])], ["y"])),
    "split": lambda: model(graph([node("Split", ["x"], names("v"))], names("v"), [argument("x", FLOAT, [COUNT])])),
    "inputs": lambda: model(graph([node("Sum", names("x"), ["y"])], ["y"], [argument(name, FLOAT, [4]) for name in names("x")])),
    "dims": lambda: model(graph([node("Neg", [name], ["y" + name]) for name in names("x")], names("yx"),
                                [argument(name, FLOAT, ["d" + name]) for name in names("x")])),
    "refused": lambda: model(graph([node("Strange", ["x"], [name]) for name in names("v")], names("v"))),
    "sequence": lambda: model(graph(
        [node("SequenceEmpty", [], ["s0"])] + [node("SequenceInsert", [f"s{i}", "x"], [f"s{i + 1}"]) for i in range(COUNT)]
        + [node("ConcatFromSequence", [f"s{COUNT}"], ["y"], integer("axis", 0))], ["y"])),
    "calls": lambda: model(
        graph([node("f", [f"v{i}" if i else "x"], [f"v{i + 1}"]) + field(7, "own") for i in range(COUNT)], [f"v{COUNT}"]),
        [field(1, "f") + field(4, "x") + field(5, "y") + field(7, node("Neg", ["x"], ["y"])) + field(9, field(2, 17))
         + field(10, "own")]),
    "unneeded": lambda: model(  # nodes that each call copies, and none needs
        graph([node("f", [f"v{i}" if i else "x"], [f"v{i + 1}"]) + field(7, "own") for i in range(COUNT)], [f"v{COUNT}"]),
        [field(1, "f") + field(4, "x") + field(5, "y") + field(7, node("Neg", ["x"], ["y"]))
         + b"".join(field(7, node("Neg", ["x"], [f"u{i}"])) for i in range(1000)) + field(9, field(2, 17)) + field(10, "own")]),
    "unrolled": lambda: model(graph(
        [node("Loop", ["steps", "", "x"], ["y"], branch("body", graph(
            [node("Identity", ["c"], ["d"]), node("Concat", ["v", "x"], ["w"], integer("axis", 0))]
            + [node("Neg", ["x"], [name]) for name in names("u")], ["d", "w"],
            [argument("i", INT64, []), argument("c", BOOL, []), argument("v", FLOAT, ["n"])])))],
        ["y"], initializers=[tensor("steps", INT64, [], number(256))])),
}

if __name__ == "__main__":
    for case in sys.argv[1:] or CASES:
        with open(case + ".onnx", "wb") as file:
            file.write(CASES[case]())
