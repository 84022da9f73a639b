"""The bytes of a kernel that come from memory or go there, by a model: a cache of whole tensors that drops the one that was used
least recently."""


class Cache:
    def __init__(self, size):
        self.size, self.total = size, 0
        self.held = {}  # bytes by tensor, the least recently used one first

    def touch(self, tensor, size):
        """Returns the bytes that are not in the cache."""
        missed = size - self.held.pop(tensor, 0)
        self.total += missed
        self.held[tensor] = size
        while self.total > self.size:
            self.total -= self.held.pop(next(iter(self.held)))
        return missed


def touched(kernel, tensors):
    """Returns (tensor, bytes) of what a kernel touches. Of a table from which it gathers rows, that is at most what it writes."""
    written = sum(tensors[number]["bytes"] for number in kernel["writes"])
    gathers = any(op["op"] == "lathe.gather" for op in kernel["ops"])
    parts = {number: tensors[number]["bytes"] for number in [*kernel["reads"], *kernel["writes"]]}
    return [(number, min(size, written) if gathers else size) for number, size in parts.items()]


def bytes_from_memory(version, rows, cache_size):
    """Returns the bytes of each call of a kernel, by its row in a version of a report, if the entry is called again and again."""
    cache, missed = Cache(cache_size), []
    for _ in range(2):
        missed = [sum(cache.touch(*part) for part in touched(version["kernels"][row], version["tensors"])) for row in rows]
    return missed
