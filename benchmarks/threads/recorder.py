"""The library of recorder.c and costs.c, as library.py builds it."""
import ctypes

MOST_EVENTS, MOST_CHUNKS = 1 << 18, 1 << 21


class Event(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ("row", "begin", "end", "count", "grain", "slots", "first", "chunks")]


class Chunk(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ("begin", "end", "ns")]


class Recording(ctypes.Structure):
    _fields_ = [("kernels", ctypes.c_void_p), ("events", ctypes.c_void_p), ("most_events", ctypes.c_int64),
                ("event_count", ctypes.c_int64), ("chunks", ctypes.c_void_p), ("most_chunks", ctypes.c_int64),
                ("chunk_count", ctypes.c_int64), ("duration", ctypes.c_int64)]


class Recorder:
    """The library, its contexts, and memory for one call."""

    def __init__(self, path):
        self.shared_object = ctypes.CDLL(path)
        self.shared_object.threads_context.restype = ctypes.c_void_p
        self.shared_object.threads_kernels.restype = ctypes.c_void_p
        for name in ("threads_clock", "threads_empty_loop", "threads_line"):
            getattr(self.shared_object, name).restype = ctypes.c_double
        self.events, self.chunks = (Event * MOST_EVENTS)(), (Chunk * MOST_CHUNKS)()
        self.contexts = {}

    def context(self, threads, absent=True):
        """Returns a context; its workers are absent, or there."""
        if (threads, absent) not in self.contexts:
            made = self.shared_object.threads_context(threads, int(absent))
            if not made:
                raise RuntimeError(f"there is no context of {threads} threads")
            self.contexts[threads, absent] = made
        return self.contexts[threads, absent]

    def recording(self, kernels=None):
        """Returns an empty recording into the memory of this object."""
        return Recording(kernels, ctypes.addressof(self.events), MOST_EVENTS, 0,
                         ctypes.addressof(self.chunks), MOST_CHUNKS, 0, 0)

    def record(self, function, args, threads, kernels=None, with_kernels=False):
        """Calls an entry and returns the recording."""
        recording = self.recording(kernels)
        status = self.shared_object.threads_record(function, args, ctypes.c_void_p(self.context(threads)), ctypes.byref(recording),
                                             int(with_kernels))
        if status != 0:
            raise RuntimeError(f"the entry returned status {status}")
        if recording.event_count > MOST_EVENTS or recording.chunk_count > MOST_CHUNKS:
            raise RuntimeError("a call has more loops or chunks than there is room for")
        return recording

    def cut(self, count, grain, slots, threads):
        """Returns the chunks (begin, end) into which the pool cuts a loop, in the order in which one thread claims them."""
        recording = self.recording()
        self.shared_object.threads_cut(ctypes.c_void_p(self.context(threads)), ctypes.byref(recording), ctypes.c_int64(count),
                                 ctypes.c_int64(grain), ctypes.c_int64(slots))
        return [(chunk.begin, chunk.end) for chunk in self.chunks[:recording.chunk_count]]
