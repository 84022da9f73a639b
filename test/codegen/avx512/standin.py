"""Compiles code for AVX-512 or AMX for a machine with AVX2: standin.py CLANG IN.ll OUT.o INTRINSIC...

IN.ll is what `lathec --emit=llvm` writes. Each intrinsic named, such as dpbf16ps.512, must be in it; calls go to its definition in
instructions.ll. The rounding that comes with products of bf16, cvtneps2bf16.512, may be in it. `tiles` stands for all intrinsics of AMX, which tiles.c defines, and the system grants them. Vectors of 64 bytes become
two registers."""
import re
import subprocess
import sys
from pathlib import Path

FAMILIES = {"dpbf16ps.512": "avx512bf16", "vpdpbusd.512": "avx512"}
ROUNDING = "@llvm.x86.avx512bf16.cvtneps2bf16.512"
TILES = {"ldtilecfg": "ptr", "tilerelease": "", "tilezero": "i8", "tileloadd64": "i8, ptr, i64", "tilestored64": "i8, ptr, i64",
         "tdpbf16ps": "i8, i8, i8"}
HERE = Path(__file__).parent


def replace(text, source, intrinsic, name):
    """Replaces calls of an intrinsic, and its declaration."""
    if f" {intrinsic}(" not in text:
        sys.exit(f"{source} has no call of {intrinsic}")
    text = re.sub(rf"^declare .*{re.escape(intrinsic)}\(.*\n", "", text, flags=re.M)
    return re.sub(rf"{re.escape(intrinsic)}\(", f"@{name}(", text)


def replace_tiles(text, source):
    for name in TILES:
        text = replace(text, source, f"@llvm.x86.{name}", f"standin_{name}")
    asking = re.search(r"^define .*@([\w.]+\.tiles)\(\)", text, flags=re.M)
    if not asking:
        sys.exit(f"{source} does not ask for tile registers")
    text = text.replace(asking[0], "define internal i32 @standin.unused()")
    return text + f"\ndefine internal i32 @{asking[1]}() {{\n  ret i32 1\n}}\n"


def main(clang, source, target, names):
    text = Path(source).read_text()
    for name in names:
        if name == "tiles":
            text = replace_tiles(text, source)
        else:
            text = replace(text, source, f"@llvm.x86.{FAMILIES[name]}.{name}", f"standin.{name}")
    if f" {ROUNDING}(" in text:
        text = replace(text, source, ROUNDING, "standin.cvtneps2bf16.512")
    if rest := set(re.findall(r"@llvm\.x86\.(?:avx512|tile|ldtile|tdp)[\w.]*", text)):
        sys.exit(f"{source}: there is no stand-in for {', '.join(sorted(rest))}")
    text = re.sub(r'"target-cpu"="[^"]*"', '"target-cpu"="x86-64-v3"', text)
    text = re.sub(r' "target-features"="[^"]*"', "", text).replace("bfloat", "i16")
    definitions = (HERE / "instructions.ll").read_text()
    attributes = 'alwaysinline "target-cpu"="x86-64-v3"'
    changed = Path(target).with_suffix(".standin.ll")
    lines = [line for line in definitions.replace("alwaysinline", attributes).splitlines()
             if not (line.startswith("declare") and line.split("@")[1].split("(")[0] in text)]
    if "tiles" not in names:
        changed.write_text(text + "\n" + "\n".join(lines) + "\n")
        compile_to(clang, [changed], target)
        return
    lines += [f"declare void @standin_{name}({operands})" for name, operands in TILES.items()]
    changed.write_text(text + "\n" + "\n".join(lines) + "\n")
    parts = [Path(target).with_suffix(".code.o"), Path(target).with_suffix(".tiles.o")]
    compile_to(clang, [changed], parts[0])
    compile_to(clang, ["-fPIC", "-ffp-contract=off", "-mfma", HERE / "tiles.c"], parts[1])
    subprocess.run([clang, "-r", "-nostdlib", *parts, "-o", target], check=True)


def compile_to(clang, arguments, target):
    subprocess.run([clang, "-c", "-O1", "-Wno-override-module", *arguments, "-o", target], check=True)


if __name__ == "__main__":
    main(*sys.argv[1:4], sys.argv[4:])
