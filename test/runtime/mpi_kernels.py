"""Assembles the PTX of lathe_mpi by NVIDIA's assembler, which checks more than the stand-in: mpi_kernels.py LIBRARY PTXAS."""
import pathlib
import re
import subprocess
import sys
import tempfile

KERNELS = 3 * 12  # three reductions of each element type; booleans have those of bytes


def main():
    library, ptxas = sys.argv[1:]
    texts = sorted(set(re.findall(rb"\.version 7\.0\n[^\0]*\}\n(?=\0)", pathlib.Path(library).read_bytes())))
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "kernel.ptx"
        for text in texts:
            source.write_bytes(text)
            for target in ["sm_80", "sm_90"]:
                command = [ptxas, f"-arch={target}", "-o", f"{folder}/kernel.cubin", str(source)]
                run = subprocess.run(command, capture_output=True, text=True)
                if run.returncode:
                    failed += 1
                    print(target, run.stderr, text.decode(), sep="\n")
    print(f"{len(texts)} kernels, {failed} refused")
    sys.exit(failed > 0 or len(texts) != KERNELS)


if __name__ == "__main__":
    main()
