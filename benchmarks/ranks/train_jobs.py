"""Jobs of ranks that wait for commands: processes of mpirun, or processes that the driver starts itself."""
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading

import turns  # of benchmarks/suite

# Open MPI refuses to start as root without these two. A rank of PyTorch or JAX has one thread; they meet on this machine.
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
               "GLOO_SOCKET_IFNAME": "lo"}


def free_address():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return "127.0.0.1:%d" % probe.getsockname()[1]


def core_of(rank):
    cores = sorted(os.sched_getaffinity(0))
    return cores[rank % len(cores)]


class Job:
    """Processes of some ranks. Each rank reads commands from a pipe with a name, COMMANDS.RANK; rank 0 answers in lines of JSON. Ranks
    are pinned, rank i to core i."""

    def __init__(self, commands, ranks):
        self.processes, self.paths = [], [f"{commands}.{rank}" for rank in range(ranks)]
        for path in self.paths:
            with contextlib.suppress(FileNotFoundError):
                os.remove(path)
            os.mkfifo(path)
        # Read and write: it is open before the rank opens its end.
        self.pipes = [os.open(path, os.O_RDWR) for path in self.paths]

    @staticmethod
    def of_mpi(command, commands, ranks):
        job = Job(commands, ranks)
        where = ["--bind-to", "core"] if ranks <= (os.cpu_count() or 1) else ["--oversubscribe", "--bind-to", "none"]
        job.launch(["mpirun", "-n", str(ranks), *where, *command, commands], os.sched_getaffinity(0))
        return job

    @staticmethod
    def of_processes(command, commands, ranks, extra=()):
        job = Job(commands, ranks)
        for rank in range(ranks):
            job.launch([*command, commands, str(rank), str(ranks), *extra], {core_of(rank)})
        return job

    @staticmethod
    def of_peer(script, words, commands, ranks):
        return Job.of_processes([sys.executable, "-B", script, *words], commands, ranks, [free_address()])

    def launch(self, command, cores):
        first = not self.processes
        self.processes.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE if first else sys.stderr,
                                               text=True, env={**os.environ, **ENVIRONMENT}, process_group=0,
                                               preexec_fn=lambda: turns.confine(cores)))

    def receive(self):
        """Returns the next answer; ends the program if there is none."""
        timer = threading.Timer(turns.LIMIT, self.processes[0].kill)
        timer.start()
        line = self.processes[0].stdout.readline()
        timer.cancel()
        if not line:
            status = self.processes[0].wait()
            self.end()
            raise SystemExit(f"{' '.join(self.processes[0].args)}: the process ended with status {status}")
        return json.loads(line)

    def ask(self, command):
        for pipe in self.pipes:
            os.write(pipe, (command + "\n").encode())
        return self.receive()

    def end(self):
        """Lets the ranks end, also those that have not opened their pipes yet, and kills those that do not."""
        for pipe in self.pipes:
            os.write(pipe, b"end 0\n")
        for process in self.processes:
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        for pipe, path in zip(self.pipes, self.paths):
            os.close(pipe)
            os.remove(path)
        self.pipes = self.paths = []
        if self.processes[0].stdout:
            self.processes[0].stdout.close()
