"""Compiles code for AVX-512 for a machine with AVX2: standin.py CLANG IN.ll OUT.o INTRINSIC...

IN.ll is what `lathec --emit=llvm` writes. Each intrinsic named, such as dpbf16ps.512, must be in it; calls go to its definition in
instructions.ll. Vectors of 64 bytes become two registers."""
import re
import subprocess
import sys
from pathlib import Path

FAMILIES = {"dpbf16ps.512": "avx512bf16", "vpdpbusd.512": "avx512"}


def main(clang, source, target, names):
    text = Path(source).read_text()
    for name in names:
        intrinsic = f"@llvm.x86.{FAMILIES[name]}.{name}"
        if f" {intrinsic}(" not in text:
            sys.exit(f"{source} has no call of {intrinsic}")
        text = re.sub(rf"^declare .*{re.escape(intrinsic)}\(.*\n", "", text, flags=re.M).replace(intrinsic, f"@standin.{name}")
    if rest := set(re.findall(r"@llvm\.x86\.avx512[\w.]*", text)):
        sys.exit(f"{source}: there is no stand-in for {', '.join(sorted(rest))}")
    text = re.sub(r'"target-cpu"="[^"]*"', '"target-cpu"="x86-64-v3"', text)
    text = re.sub(r' "target-features"="[^"]*"', "", text).replace("bfloat", "i16")
    definitions = (Path(__file__).parent / "instructions.ll").read_text()
    attributes = 'alwaysinline "target-cpu"="x86-64-v3"'
    changed = Path(target).with_suffix(".standin.ll")
    lines = [line for line in definitions.replace("alwaysinline", attributes).splitlines()
             if not (line.startswith("declare") and line.split("@")[1].split("(")[0] in text)]
    changed.write_text(text + "\n" + "\n".join(lines) + "\n")
    subprocess.run([clang, "-c", "-O1", "-Wno-override-module", changed, "-o", target], check=True)


if __name__ == "__main__":
    main(*sys.argv[1:4], sys.argv[4:])
