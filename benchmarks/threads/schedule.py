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
    """The threads of a context, between loops too: a worker without work falls asleep. Threads wake each other in a tree."""

    def __init__(self, threads, costs):
        self.threads, self.costs = threads, costs
        self.idle_since = [NEVER] * threads

    def wake(self, worker, now):
        """Returns when the thread that wakes a worker goes on, and when the worker begins."""
        asleep = now - self.idle_since[worker] > self.costs.spin
        now += self.costs.wake_call if asleep else self.costs.send
        return now, now + (self.costs.wake if asleep else self.costs.see)

    def work(self, team, chunks, times, now):
        """Lets threads claim chunks, from their own share first. A thread that finds a chunk wakes two others first; one that finds no
        more chunks takes back the mail of those of them that have not begun. Returns {thread: when it finds no more}."""
        shares = [Share(part) for part in chunks]
        begins, ends, woken = {0: now + self.costs.setup}, {}, {}
        events = [(begins[0], 0, 0)]
        while events:
            now, thread, tried = heapq.heappop(events)
            if thread not in begins:
                continue
            share = shares[(thread + tried) % len(shares)]
            if share.next < len(share.chunks):
                if thread not in woken:
                    woken[thread] = range(2 * thread + 1, min(2 * thread + 3, team))
                    for worker in woken[thread]:
                        now, begins[worker] = self.wake(worker, now)
                        heapq.heappush(events, (begins[worker], worker, 0))
                    heapq.heappush(events, (now, thread, tried))
                    continue
                chunk, now = share.claim(thread, now, self.costs)
                heapq.heappush(events, (now + times[chunk], thread, tried))
            elif tried + 1 < len(shares):
                heapq.heappush(events, (now + (self.costs.line if share.owner != thread else 0.0), thread, tried + 1))
            else:
                for worker in woken.get(thread, ()):
                    now += self.costs.line
                    if begins[worker] > now:
                        self.idle_since[worker] = begins.pop(worker)
                ends[thread] = now
        return ends

    def end(self, ends):
        """Lets the caller wait for the answers of the others."""
        caller = ends.pop(0)
        answered = 0.0
        for worker, end in sorted(ends.items(), key=lambda item: item[1]):
            self.idle_since[worker] = end
            answered = max(answered, end) + self.costs.line
        if not ends:
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
        return self.end(self.work(team, shares, times, now))
