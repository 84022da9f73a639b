"""How runtime/pool.c cuts a loop for a number of threads. The recorder checks these rules against the pool itself."""
import functools
import re
from pathlib import Path

THREADS = [1, 2, 4, 8, 16, 32, 64]
POOL = Path(__file__).resolve().parents[2] / "runtime/pool.c"


def constant(name):
    """Returns an enumerator of runtime/pool.c."""
    return int(re.search(rf"\b{name} = (\d+)", POOL.read_text()).group(1))


CHUNKS_PER_THREAD, MOST_SHARES, SPIN_NS = (constant(name) for name in ("PIECES_PER_THREAD", "MOST_SHARES", "SPIN_NS"))


@functools.cache
def cut(count, grain, slots, threads):
    """Returns how many threads take part, and the shares: lists of chunks (begin, end) in the order in which threads claim them."""
    grain = max(grain, 1)
    pieces = -(-count // grain)
    team = min(threads, slots, pieces)
    if team <= 1:
        return 1, [[(0, count)]]
    claim = max(pieces // (team * CHUNKS_PER_THREAD), 1)
    shares = min(team, MOST_SHARES)
    length = (pieces - 1) // shares + 1

    def share(low, high):
        return [(first * grain, min(min(first + claim, high) * grain, count)) for first in range(low, high, claim)]
    return team, [share(min(i * length, pieces), min((i + 1) * length, pieces)) for i in range(shares)]


def pieces_of(count, grain):
    return -(-count // max(grain, 1))
