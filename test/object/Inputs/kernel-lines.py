"""nm --print-size PROGRAM | kernel-lines.py PROGRAM GRAPH

Asks llvm-symbolizer for places inside of each kernel; they must be in GRAPH, most with a line. What fills the space up to the next
function belongs to no kernel."""
import re
import subprocess
import sys

PLACES = 16  # asked for in each kernel

program, graph = sys.argv[1:]
symbols = [line.split(maxsplit=3) for line in sys.stdin if len(line.split()) == 4]
kernels, asked = 0, []
for place, size, kind, name in symbols:
    start, size, name = int(place, 16), int(size, 16), name.strip()
    if kind in "tT" and size and name.startswith(("kernel_", "conv_")):
        kernels += 1
        asked += [(name, address) for address in range(start, start + size, max(1, size // PLACES))]
answer = subprocess.run(["llvm-symbolizer", f"--obj={program}", "--basenames"], check=True, text=True, capture_output=True,
                        input="\n".join(f"0x{address:x}" for _, address in asked)).stdout
with_line, strange = {}, 0
for (name, address), text in zip(asked, answer.strip().split("\n\n"), strict=True):
    match = re.fullmatch(re.escape(graph) + r":(\d+):\d+", text.splitlines()[-1])
    strange += match is None
    with_line.setdefault(name, []).append(match is not None and match[1] != "0")
# Line 0 is what LLVM gives to what it moved or merged.
dark = [name for name, lines in with_line.items() if not lines[0] or sum(lines) < len(lines) / 2]
for name in dark:
    print(f"{name}: {sum(with_line[name])} of {len(with_line[name])} places have a line")
print(f"{kernels} kernels, {strange} places outside of the graph, {len(dark)} kernels in the dark")
sys.exit(strange + len(dark) > 0 or kernels == 0)
