"""What the worker expects of a peer, and the loop that times one from Python."""
import importlib.metadata
import time

LOSSES = 4  # steps whose losses are compared


class Adapter:
    """A row in one peer. `folder` has the row's files: model.onnx and expected.npz."""
    package = None

    def __init__(self, row, graph, folder, threads):
        self.row, self.graph, self.folder, self.threads = row, graph, folder, threads

    def version(self):
        return importlib.metadata.version(self.package)

    def prepare(self):
        """Imports the peer and places inputs and parameters; not a part of the compilation."""

    def build(self):
        """Makes the executable form; its time is `compile_s`."""

    def call(self):
        """Runs the row once and waits for its results."""
        raise NotImplementedError

    def results(self):
        """Returns the arrays of the last call; of a training step its loss."""
        raise NotImplementedError

    def reset(self):
        """Brings variables back to their initial values; training only."""

    def first_results(self):
        """Returns the outputs of a call, or the losses of the first steps."""
        if self.row.kind != "training":
            self.call()
            return self.results()
        self.reset()
        losses = []
        for _ in range(LOSSES):
            self.call()
            losses.append(float(self.results()[0]))
        return [losses]

    def times(self, seconds, least):
        """Returns the nanoseconds of each call in a slice of so many seconds, but of `least` calls or more."""
        clock, call, taken = time.perf_counter_ns, self.call, []
        end = clock() + int(seconds * 1e9)
        while True:
            begin = clock()
            call()
            after = clock()
            taken.append(after - begin)
            if after >= end and len(taken) >= least:
                return taken
