"""nm PROGRAM | kernel-lines.py PROGRAM GRAPH

Asks llvm-symbolizer for places inside of each kernel; they must be in GRAPH, most with a line."""
import re
import subprocess
import sys

PLACES = 16  # asked for in each kernel

program, graph = sys.argv[1:]
code = sorted((int(address, 16), name.strip()) for address, kind, name in (line.split(maxsplit=2) for line in sys.stdin)
              if kind in "tT")
kernels, asked = 0, []
for (start, name), (end, _) in zip(code, code[1:]):
    if name.startswith(("kernel_", "conv_")) and end > start:
        kernels += 1
        asked += [(name, address) for address in range(start, end, max(1, (end - start) // PLACES))]
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
