"""Graphs of one op or a few: where a network loses time shows here."""
from graph import Graph


def empty():
    """Adds 1 to one number: the cost of a call."""
    graph = Graph(30)
    return graph.result(graph.add(graph.floats(1), 1.0))


def matmul_bias_gelu():
    graph = Graph(31)
    return graph.result(graph.map("gelu", graph.linear(graph.floats(128, 768), 3072)))


def softmax():
    graph = Graph(32)
    return graph.result(graph.softmax(graph.floats(12, 128, 128)))


def layer_norm():
    graph = Graph(33)
    return graph.result(graph.layer_norm(graph.floats(128, 768)))


def attention():
    graph = Graph(34)
    return graph.result(graph.attention(*(graph.floats(1, 128, 768) for _ in range(3)), 12))


def conv3x3():
    graph = Graph(35)
    return graph.result(graph.conv(graph.floats(1, 64, 56, 56), 64, 3))


def depthwise3x3():
    graph = Graph(36)
    return graph.result(graph.conv(graph.floats(1, 96, 112, 112), 96, 3, groups=96))


def elementwise10():
    """Ten elementwise ops, four of them functions, over 4 MB."""
    graph = Graph(37)
    x = graph.floats(1024, 1024)
    root = graph.map("sqrt", graph.map("abs", graph.add(graph.mul(x, 1.5), 0.5)))
    bent = graph.map("tanh", graph.mul(root, x))
    falling = graph.map("exp", graph.map("neg", graph.add(bent, root)))
    return graph.result(graph.mul(falling, x))


def transpose():
    graph = Graph(38)
    return graph.result(graph.transpose(graph.floats(1, 64, 56, 56), 0, 2, 3, 1))


def sum_of_rows():
    """Adds up 1,024 rows: the sum along the first dimension."""
    graph = Graph(39)
    return graph.result(graph.sum(graph.floats(1024, 1024), 0))


def sum_in_rows():
    """Adds up each row: the sum along the last dimension."""
    graph = Graph(40)
    return graph.result(graph.sum(graph.floats(1024, 1024), 1))


def gather():
    graph = Graph(41)
    return graph.result(graph.embed(graph.parameter(50257, 768, scale=0.5), graph.integers(50257, 128)))


def concat():
    graph = Graph(42)
    return graph.result(graph.concat([graph.floats(1, 64, 56, 56) for _ in range(4)], 1))
