"""Plays loops event by event on threads that follow the rules of runtime/pool.c. Times are in ns."""
import dataclasses
import heapq

import partition

NEVER = float("-inf")


@dataclasses.dataclass
class Costs:
    """What a loop costs besides its chunks; `run` measures them."""
    setup: float = 0.0      # from the call until the caller's first chunk, with no worker to wake
    send: float = 0.0       # the caller's time to write to the mailbox of a worker that spins
    see: float = 0.0        # from then until the worker's first chunk
    wake_call: float = 0.0  # the caller's time to wake a worker that sleeps
    wake: float = 0.0       # from then until the worker's first chunk
    claim: float = 0.0      # a claim from a share of which the thread had the last chunk, too
    line: float = 0.0       # a cache line from one core to another: any other claim, an answer, a look at an empty share
    join: float = 0.0       # from the end of the last chunk, by a worker, until the loop returns
    spin: float = partition.SPIN_NS


class Share:
    def __init__(self, chunks):
        self.chunks, self.next, self.owner, self.free = chunks, 0, None, 0.0

    def claim(self, thread, now, costs):
        """Claims a chunk, after the claims that came before. Returns the chunk and the time."""
        self.free = max(self.free, now) + (costs.claim if self.owner in (None, thread) else costs.line)
        self.owner = thread
        self.next += 1
        return self.chunks[self.next - 1], self.free


class Pool:
    """The threads of a context, between loops too: a worker without work falls asleep. In a pool with `is_tree`, each thread wakes at
    most two others before it begins; in the pool as it is, the caller wakes all."""

    def __init__(self, threads, costs, is_tree=False):
        self.threads, self.costs, self.is_tree = threads, costs, is_tree
        self.idle_since = [NEVER] * threads

    def start(self, team, now):
        """Wakes the workers. Returns the time when each thread begins, the caller first."""
        begins = [now + self.costs.setup] + [0.0] * (team - 1)
        for worker in range(1, team):
            by = (worker - 1) // 2 if self.is_tree else 0
            asleep = begins[by] - self.idle_since[worker] > self.costs.spin
            begins[by] += self.costs.wake_call if asleep else self.costs.send
            begins[worker] = begins[by] + (self.costs.wake if asleep else self.costs.see)
        return begins

    def work(self, begins, chunks, times):
        """Lets each thread claim chunks, from its own share first. Returns when each of them finds no more."""
        shares = [Share(part) for part in chunks]
        ends = list(begins)
        events = [(begin, thread, 0) for thread, begin in enumerate(begins)]
        heapq.heapify(events)
        while events:
            now, thread, tried = heapq.heappop(events)
            share = shares[(thread + tried) % len(shares)]
            if share.next < len(share.chunks):
                chunk, now = share.claim(thread, now, self.costs)
                heapq.heappush(events, (now + times[chunk], thread, tried))
            elif tried + 1 < len(shares):
                heapq.heappush(events, (now + (self.costs.line if share.owner != thread else 0.0), thread, tried + 1))
            else:
                ends[thread] = now
        return ends

    def end(self, begins, ends):
        """Lets the caller take back the mail of workers that have not begun, and wait for the answers of the others."""
        caller = ends[0]
        answered = 0.0
        waits = []
        for worker in range(1, len(begins)):
            caller += self.costs.line
            self.idle_since[worker] = ends[worker]
            if begins[worker] <= caller:
                waits.append(ends[worker])
        for end in sorted(waits):
            answered = max(answered, end) + self.costs.line
        if not waits:
            return caller
        answered += self.costs.join - self.costs.line
        if answered - caller > self.costs.spin:
            answered += self.costs.wake
        return max(caller, answered)

    def loop(self, count, grain, slots, times, now):
        """Returns when a loop that begins now is done. `times` has the ns of each chunk (begin, end)."""
        team, shares = partition.cut(count, grain, slots, self.threads)
        if team == 1:
            return now + times[shares[0][0]]
        begins = self.start(team, now)
        ends = self.work(begins, shares, times)
        return self.end(begins, ends)
