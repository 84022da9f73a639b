"""One peer with one published model in one process: model_worker.py PEER MODEL FOLDER THREADS, like benchmarks/suite/worker.py."""
import functools
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "suite"))
import models  # noqa: E402: after the path above
import onnx_file  # noqa: E402: the same
import worker  # noqa: E402: it is in suite


def find(name):
    model = models.find(name)
    model.build = functools.partial(onnx_file.read, sys.argv[3])
    return model


if __name__ == "__main__":
    worker.main(sys.argv[1], find, *sys.argv[2:])
