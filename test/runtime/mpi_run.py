"""Runs a program under mpirun and checks which ranks print that they are sound: mpi_run.py MPIRUN RANKS SOUND PROGRAM ARGUMENT...
SOUND lists those ranks, "0,2": mpirun keeps the other ranks when one dies. Fails too if a check of a rank does, and after 15
minutes."""
import os
import re
import subprocess
import sys


def main():
    mpirun, ranks, sound, command = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4:]
    expected = sorted(int(rank) for rank in sound.split(","))
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    version = subprocess.run([mpirun, "--version"], capture_output=True, text=True, env=environment)
    if "open-mpi.org" not in version.stdout:
        print("skipped: the options of mpirun are those of Open MPI")
        sys.exit(77)
    options = ["--oversubscribe", "--enable-recovery", "-n", str(ranks)]
    run = subprocess.run([mpirun, *options, *command], capture_output=True, text=True, env=environment, timeout=900)
    print(run.stdout, run.stderr, sep="")
    found = sorted(int(rank) for rank in re.findall(r"^rank (\d+): sound$", run.stdout, re.M))
    faults = re.findall(r"^.*(?:failed:|wrong, the first|checks failed).*$", run.stderr, re.M)
    if found != expected or faults:
        sys.exit(f"sound are {found}, expected {expected}; {len(faults)} checks failed")
    if len(expected) == ranks and run.returncode != 0:
        sys.exit(f"mpirun returns {run.returncode}")


if __name__ == "__main__":
    main()
