"""The networks whose training steps are compared by memory: those of the suite, and a longer LSTM."""
import networks
from rows import Row

ROWS = [Row("transformer", "training", networks.transformer, "adam"), Row("resnet18", "training", networks.resnet18, "sgd"),
        Row("lstm500", "training", lambda: networks.lstm(8, training=True, length=500), "sgd")]


def find(name):
    return next(row for row in ROWS if row.name == name)
