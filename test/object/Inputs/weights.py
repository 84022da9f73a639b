"""weights.py: w.bin, 16 MiB of weights from -1/32 to 1/32.
weights.py SMALL LARGE [OPTION]: how much more memory lathec takes for the second model than for the first, in sizes of w.bin."""
import array
import resource
import subprocess
import sys

COUNT = 4 << 20
if len(sys.argv) == 1:
    with open("w.bin", "wb") as file:
        array.array("f", ((i * 2654435761 % 4096 - 2048) / 65536 for i in range(COUNT))).tofile(file)
    sys.exit()


def peak(model):
    """Bytes; of the largest child so far, so the smaller one has to come first."""
    output = "peak.so" if "--emit=shared" in sys.argv else "peak.o"
    subprocess.run(["lathec", model, *sys.argv[3:], "-o", output], check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024


small = peak(sys.argv[1])
print(f"{(peak(sys.argv[2]) - small) / (4 * COUNT):.1f} times the weights")
