"""Runs a command in 2 GiB of memory and ten minutes of a processor's time: limited.py COMMAND ARGUMENT..."""
import os
import resource
import sys

resource.setrlimit(resource.RLIMIT_DATA, (2 << 30, 2 << 30))
resource.setrlimit(resource.RLIMIT_CPU, (600, 600))
os.execvp(sys.argv[1], sys.argv[1:])
