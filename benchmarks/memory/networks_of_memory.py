"""The networks whose training steps are compared by memory: those of the suite, a longer LSTM and a U-Net."""
import networks
from graph import Graph
from rows import Row


def unet(batch=8, side=64, classes=4):
    """Classifies the pixels of images: three levels down and up, joined at each level, with sub-pixel convolutions upwards."""
    graph = Graph(31)

    def block(x, channels):
        for _ in range(2):
            x = graph.map("relu", graph.conv(x, channels, 3))
        return x

    x, levels = graph.floats(batch, 3, side, side), []
    for level in range(3):
        x = block(x, 16 << level)
        levels.append(x)
        x = graph.max_pool(x, 2, 2, 0)
    x = block(x, 128)
    for level in reversed(range(3)):
        channels, extent = 16 << level, side >> level
        x = graph.conv(x, 4 * channels, 1)
        x = graph.transpose(graph.reshape(x, batch, channels, 2, 2, extent // 2, extent // 2), 0, 1, 4, 2, 5, 3)
        x = block(graph.concat([levels[level], graph.reshape(x, batch, channels, extent, extent)], 1), channels)
    x = graph.reshape(graph.transpose(graph.conv(x, classes, 1), 0, 2, 3, 1), batch * side * side, classes)
    return graph.result(graph.cross_entropy(x, graph.integers(classes, batch * side * side)))


ROWS = [Row("transformer", "training", networks.transformer, "adam"), Row("resnet18", "training", networks.resnet18, "sgd"),
        Row("lstm500", "training", lambda: networks.lstm(8, training=True, length=500), "sgd"),
        Row("unet", "training", unet, "adam")]


def find(name):
    return next(row for row in ROWS if row.name == name)
