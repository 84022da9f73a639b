"""Writes a TreeEnsembleRegressor as text: deep-tree.py DEPTH... FILE. Each tree is a chain of as many branches as DEPTH says, of which
branch k asks x <= k + 0.5. So an integer x reaches the leaf of the weight x, from 0 up to DEPTH."""
import sys

columns = {name: [] for name in ("nodes_treeids", "nodes_nodeids", "nodes_modes", "nodes_featureids", "nodes_values",
                                 "nodes_truenodeids", "nodes_falsenodeids")}
weights = {name: [] for name in ("target_treeids", "target_nodeids", "target_ids", "target_weights")}


def node(*values):
    for column, value in zip(columns.values(), values):
        column.append(value)


def leaf(tree, number, weight):
    node(tree, number, "LEAF", 0, 0.0, 0, 0)
    for column, value in zip(weights.values(), (tree, number, 0, float(weight))):
        column.append(value)


*depths, path = sys.argv[1:]
for tree, depth in enumerate(int(text) for text in depths):
    for branch in range(depth):
        node(tree, 2 * branch, "BRANCH_LEQ", 0, branch + 0.5, 2 * branch + 1, 2 * branch + 2)
        leaf(tree, 2 * branch + 1, branch)
    leaf(tree, 2 * depth, depth)


def attribute(name, values):
    field, type_, write = {int: ("ints", "INTS", str), float: ("floats", "FLOATS", str), str: ("strings", "STRINGS", '"{}"'.format)}[type(values[0])]
    return f'attribute {{ name: "{name}" type: {type_} ' + " ".join(f"{field}: {write(value)}" for value in values) + " }"


attributes = " ".join(attribute(name, values) for name, values in (columns | weights).items())
with open(path, "w") as file:
    file.write(f"""ir_version: 8
opset_import {{ version: 17 }}
opset_import {{ domain: "ai.onnx.ml" version: 3 }}
graph {{
  name: "g"
  node {{ domain: "ai.onnx.ml" op_type: "TreeEnsembleRegressor" input: "x" output: "y" {attributes}
    attribute {{ name: "n_targets" type: INT i: 1 }} }}
  input {{ name: "x" type {{ tensor_type {{ elem_type: 1 shape {{ dim {{ dim_param: "N" }} dim {{ dim_value: 1 }} }} }} }} }}
  output {{ name: "y" }}
}}
""")
