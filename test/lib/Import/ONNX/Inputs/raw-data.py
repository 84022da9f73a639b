"""Prints a model whose large initializers are in the file at any address, and one whose bytes look like a reference to it."""
import struct

COUNT = 1025


def text(data):
    return "".join(f"\\{byte:03o}" for byte in data)


def initializer(name, kind, count, data):
    return f'initializer {{ name: "{name}" data_type: {kind} dims: {count} raw_data: "{text(data)}" }}'


def output(name, kind):
    return f'output {{ name: "{name}" type {{ tensor_type {{ elem_type: {kind} }} }} }}'


print('ir_version: 8 opset_import { version: 17 } graph { name: "g"')
for i in range(4):  # names that are a byte longer each
    numbers = [(k + i) % 7 for k in range(COUNT)]
    print(initializer("w" * (i + 1), 1, COUNT, struct.pack(f"<{COUNT}f", *numbers)))
mark = b"lathe:in file:" + struct.pack("<QQ", 1 << 40, 30)
print(initializer("mark", 3, 30, mark))
print(f'node {{ op_type: "Constant" output: "same" attribute {{ name: "value" type: TENSOR t {{ data_type: 3 dims: 30 raw_data: "{text(mark)}" }} }} }}')
print('node { op_type: "Sum" input: "w" input: "ww" input: "www" input: "wwww" output: "sum" }')
print('node { op_type: "ReduceSum" input: "sum" output: "y" attribute { name: "keepdims" type: INT i: 0 } }')
print('node { op_type: "Slice" input: "sum" input: "from" input: "to" output: "z" }')
print('node { op_type: "Add" input: "mark" input: "x" output: "m" }')
print('node { op_type: "Add" input: "same" input: "x" output: "n" }')
print(initializer("from", 7, 1, struct.pack("<q", 1021)), initializer("to", 7, 1, struct.pack("<q", 1025)))
print('input { name: "x" type { tensor_type { elem_type: 3 shape { dim { dim_value: 30 } } } } }')
print(output("y", 1), output("z", 1), output("m", 3), output("n", 3), "}")
