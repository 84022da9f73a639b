"""Processes that are measured in turns. While one runs, the others are stopped."""
import contextlib
import ctypes
import json
import os
import signal
import subprocess
import threading

import stats

SLICES = 5
LEAST = 3  # calls in a slice
LIMIT = 1200  # seconds that a peer may take to compile a row, or for a turn
PR_SET_PDEATHSIG = 1  # of Linux


def confine(cores):
    """Pins the process, and lets it end with the driver: it may be stopped then."""
    os.sched_setaffinity(0, cores)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Worker:
    """A peer with a row in a process of its own, pinned to some cores. It runs only until its first answer and during its turns."""

    def __init__(self, command, environment, cores, log):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, env=environment,
                                        start_new_session=True, preexec_fn=lambda: confine(cores))

    def receive(self):
        """Returns the next answer, then stops the process."""
        timer = threading.Timer(LIMIT, self.process.kill)
        timer.start()
        line = self.process.stdout.readline()
        timer.cancel()
        if not line:
            return {"failed": f"the process ended with status {self.process.wait()}"}
        self.process.send_signal(signal.SIGSTOP)
        return json.loads(line)

    def turn(self, seconds):
        """Lets the process measure a slice, and returns its times."""
        self.process.send_signal(signal.SIGCONT)
        with contextlib.suppress(BrokenPipeError):  # receive says that the process ended
            self.process.stdin.write(f"{seconds} {LEAST}\n")
            self.process.stdin.flush()
        return self.receive()

    def end(self):
        """Kills the process and those that it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def take_turns(workers, entries, seconds):
    """Measures the workers in slices. Each round starts with another one, so that none always follows the same."""
    slices = {peer: [] for peer in workers}
    for number in range(SLICES):
        order = list(workers)
        first = number % max(len(order), 1)
        for peer in order[first:] + order[:first]:
            answer = workers[peer].turn(seconds / SLICES)
            if "failed" in answer:
                entries[peer]["failed"] = answer["failed"]
                workers.pop(peer).end()
            else:
                slices[peer].append(answer)
    for peer in workers:
        entries[peer].update(stats.summary(slices[peer]))
