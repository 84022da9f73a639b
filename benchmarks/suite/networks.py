"""The suite's networks; a network with a loss is the forward half of a training step."""
from graph import Graph


def mlp(batch, training=False):
    graph = Graph(11)
    x = graph.floats(batch, 784)
    for _ in range(2):
        x = graph.map("relu", graph.dense(x, 512))
    x = graph.dense(x, 10)
    return graph.result(graph.cross_entropy(x, graph.integers(10, batch)) if training else x)


def cnn16(batch, training=False):
    """Classifies images of 16 x 16, such as handwritten digits, by ten convolutions."""
    graph = Graph(12)
    x = graph.floats(batch, 1, 16, 16)
    layers = [(16, 1), (16, 1), (32, 1), (32, 2), (64, 1), (64, 1), (64, 2), (64, 1), (64, 1), (64, 1)]
    for channels, stride in layers:
        x = graph.map("relu", graph.conv(x, channels, 3, stride))
    x = graph.dense(graph.mean_pool(x), 10)
    return graph.result(graph.cross_entropy(x, graph.integers(10, batch)) if training else graph.softmax(x))


def resnet50():
    """ResNet-50 with the stride in the 3x3 convolution; norms are folded into the convolutions, as exporters do."""
    graph = Graph(13)
    x = graph.map("relu", graph.conv(graph.floats(1, 3, 224, 224), 64, 7, 2))
    x = graph.max_pool(x, 3, 2, 1)
    for stage, blocks in enumerate([3, 4, 6, 3]):
        channels = 64 << stage
        for block in range(blocks):
            stride = 2 if stage > 0 and block == 0 else 1
            y = graph.map("relu", graph.conv(x, channels, 1))
            y = graph.map("relu", graph.conv(y, channels, 3, stride))
            y = graph.conv(y, 4 * channels, 1, gain=0.3)  # keeps sums of many blocks small
            if block == 0:
                x = graph.conv(x, 4 * channels, 1, stride, gain=1.0)
            x = graph.map("relu", graph.add(y, x))
    return graph.result(graph.dense(graph.mean_pool(x), 1000))


def mobilenet_v2():
    graph = Graph(14)
    x = graph.map("relu6", graph.conv(graph.floats(1, 3, 224, 224), 32, 3, 2))
    depth = 32
    for factor, channels, blocks, first in [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
                                            (6, 160, 3, 2), (6, 320, 1, 1)]:
        for block in range(blocks):
            stride, wide = first if block == 0 else 1, depth * factor
            y = x if factor == 1 else graph.map("relu6", graph.conv(x, wide, 1))
            y = graph.map("relu6", graph.conv(y, wide, 3, stride, groups=wide))
            y = graph.conv(y, channels, 1, gain=1.0)
            x = graph.add(x, y) if stride == 1 and depth == channels else y
            depth = channels
    x = graph.map("relu6", graph.conv(x, 1280, 1))
    return graph.result(graph.dense(graph.mean_pool(x), 1000))


def bert_base(length=128, width=768):
    graph = Graph(15)
    ids = graph.integers(30522, 1, length)
    x = graph.embed(graph.parameter(30522, width, scale=0.5), ids)
    x = graph.layer_norm(graph.add(x, graph.parameter(1, length, width, scale=0.5)), 1e-12)
    for _ in range(12):
        query, key, value = (graph.linear(x, width) for _ in range(3))
        attended = graph.linear(graph.attention(query, key, value, 12), width)
        x = graph.layer_norm(graph.add(x, attended), 1e-12)
        y = graph.linear(graph.map("gelu", graph.linear(x, 4 * width)), width)
        x = graph.layer_norm(graph.add(x, y), 1e-12)
    return graph.result(x)


def gpt2_small(length=64, width=768, words=50257):
    graph = Graph(16)
    ids = graph.integers(words, 1, length)
    table = graph.parameter(words, width, scale=0.05)
    x = graph.add(graph.embed(table, ids), graph.parameter(1, length, width, scale=0.05))
    for _ in range(12):
        joined = graph.linear(graph.layer_norm(x), 3 * width)
        parts = [graph.slice(joined, 2, i * width, (i + 1) * width) for i in range(3)]
        x = graph.add(x, graph.linear(graph.attention(*parts, 12, causal=True), width))
        y = graph.map("gelu_tanh", graph.linear(graph.layer_norm(x), 4 * width))
        x = graph.add(x, graph.linear(y, width))
    return graph.result(graph.logits(graph.reshape(graph.layer_norm(x), length, width), table))


def lstm(batch, training=False, length=64):
    graph = Graph(17)
    x = graph.floats(length, batch, 128)
    for _ in range(2):
        x = graph.lstm(x, 256)
    if not training:
        return graph.result(x)
    last = graph.dense(graph.take(x, 0, length - 1), 10)
    return graph.result(graph.cross_entropy(last, graph.integers(10, batch)))


def dlrm(batch=64, tables=8, width=16):
    """A recommender: look-ups in tables of 10,000 rows, joined with dense features."""
    graph = Graph(18)
    features, ids = graph.floats(batch, 13), graph.integers(10000, batch, tables)
    hidden = graph.map("relu", graph.dense(features, 64))
    parts = [graph.map("relu", graph.dense(hidden, width))]
    for i in range(tables):
        parts.append(graph.embed(graph.parameter(10000, width, scale=0.5), graph.take(ids, 1, i)))
    x = graph.concat(parts, 1)
    for columns in (256, 128):
        x = graph.map("relu", graph.dense(x, columns))
    return graph.result(graph.map("sigmoid", graph.dense(x, 1)))


def transformer(batch=4, length=128, width=256, words=1000):
    """A decoder of four layers with the loss of the next word."""
    graph = Graph(19)
    ids = graph.integers(words, batch, length)
    x = graph.embed(graph.parameter(words, width, scale=0.5), ids)
    x = graph.add(x, graph.parameter(1, length, width, scale=0.1))
    for _ in range(4):
        normal = graph.layer_norm(x)
        query, key, value = (graph.linear(normal, width) for _ in range(3))
        x = graph.add(x, graph.linear(graph.attention(query, key, value, 4, causal=True), width))
        y = graph.map("gelu", graph.linear(graph.layer_norm(x), 4 * width))
        x = graph.add(x, graph.linear(y, width))
    scores = graph.linear(graph.reshape(graph.layer_norm(x), batch * length, width), words)
    return graph.result(graph.cross_entropy(scores, graph.integers(words, batch * length)))


def resnet18(batch=16):
    """ResNet-18 for images of 32 x 32, with the statistics of the batch in its norms."""
    graph = Graph(20)

    def layer(x, channels, size, stride=1):
        return graph.batch_norm(graph.conv(x, channels, size, stride, bias=False))

    x = graph.map("relu", layer(graph.floats(batch, 3, 32, 32), 64, 3))
    for stage in range(4):
        channels = 64 << stage
        for block in range(2):
            stride = 2 if stage > 0 and block == 0 else 1
            y = layer(graph.map("relu", layer(x, channels, 3, stride)), channels, 3)
            x = graph.map("relu", graph.add(y, x if stride == 1 else layer(x, channels, 1, stride)))
    scores = graph.dense(graph.mean_pool(x), 10)
    return graph.result(graph.cross_entropy(scores, graph.integers(10, batch)))
