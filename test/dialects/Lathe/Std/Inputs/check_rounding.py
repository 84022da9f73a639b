"""check_rounding.py FOLDER: stochastic rounding to bf16, and Adam with slots of bf16, against their definitions."""
import json
import math
import random
import struct
import subprocess
import sys
from pathlib import Path

from arrays import Array, read, write

COUNT = 40000
VALUE = 1.0 + 0.3 / 128  # 0.3 of the way from 1 to the next bf16


def bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def from_bits(word):
    return struct.unpack("<f", struct.pack("<I", word & 0xffffffff))[0]


def neighbours(value):
    """The bf16 numbers around an f32, equal to it where it is one."""
    word = bits(value)
    low = from_bits(word & 0xffff0000)
    return low, low if word & 0xffff == 0 else from_bits((word & 0xffff0000) + 0x10000)


def run(path, entry, inputs, outputs, *words):
    given = [word for name, value in inputs.items() for word in ("--input", f"{name}={value}")]
    taken = [word for name in outputs for word in ("--output", f"{name}=@{path.parent}/{name}.npy")]
    done = subprocess.run(["lathe-run", path, entry, *given, *taken, *words], text=True, capture_output=True)
    if done.returncode:
        sys.exit(f"{entry}: lathe-run fails: {done.stderr}")
    return [read(path.parent / f"{name}.npy", shape).values for name, shape in outputs.items()]


ROUND = f"""
func.func @same(%x: tensor<f32>, %seed: tensor<i64>) -> tensor<{COUNT}xf32> {{
  %many = lathe.broadcast %x dims [] to [{COUNT}] : tensor<f32>
  %bits = lathe.random_bits %seed stream 7 to [{COUNT}] : i32
  %y = lathe.std.stochastic_round %many, %bits UPPER : tensor<{COUNT}xf32>, tensor<{COUNT}xi32>
  return %y : tensor<{COUNT}xf32>
}}
func.func @each(%x: tensor<2000xf32>, %seed: tensor<i64>) -> tensor<2000xf32> {{
  %bits = lathe.random_bits %seed stream 1 to [2000] : i32
  %y = lathe.std.stochastic_round %x, %bits UPPER : tensor<2000xf32>, tensor<2000xi32>
  return %y : tensor<2000xf32>
}}
"""


def check_rounding(folder, half, faults):
    path = folder / f"round{half}.mlir"
    path.write_text(ROUND.replace("UPPER", half))
    for way in ((), ("--interpret",)):
        values, = run(path, "same", {"x": VALUE, "seed": 3}, {"y": [COUNT]}, *way)
        low, high = neighbours(VALUE)
        share = sum(value == high for value in values) / COUNT
        if set(values) != {low, high}:
            faults.append(f"{half} {way}: {VALUE} becomes {sorted(set(values))}, expected {low} and {high}")
        # 5 standard deviations of a binomial distribution
        if abs(share - 0.3) > 5 * math.sqrt(0.3 * 0.7 / COUNT):
            faults.append(f"{half} {way}: {share} of {VALUE} become {high}, expected 0.3")
        draw = random.Random(5)
        words = [draw.getrandbits(32) for _ in range(1990)]
        words += [0, 0x80000000, 0x7f800000, 0xff800000, 0x7fffffff, 0x7f800001, 0xffffffff, 1, 0x80000001, 0x3f800000]
        write(folder / "words.npy", Array([2000], [from_bits(word) for word in words], "f32"))
        values, = run(path, "each", {"x": f"@{folder}/words.npy", "seed": 9}, {"y": [2000]}, *way)
        for word, value in zip(words, values):
            given = from_bits(word)
            if not (math.isnan(value) if math.isnan(given) else value in neighbours(given)):
                faults.append(f"{half} {way}: {given} ({word:#x}) becomes {value}")


STEP = """
lathe.variable @w : tensor<600xf32> init #lathe.fill<1.0>
func.func private @loss(%x: tensor<600xf32>) -> tensor<f32> {
  %w = lathe.read @w : tensor<600xf32>
  %y = lathe.mul %w, %x : tensor<600xf32>
  %loss = lathe.reduce sum %y dims [0] : tensor<600xf32>
  return %loss : tensor<f32>
}
func.func @step(%x: tensor<600xf32>) -> (tensor<f32>, tensor<600xf32>) {
  %loss = lathe.minimize @loss(%x) with OPTIMIZER : (tensor<600xf32>) -> tensor<f32>
  %w = lathe.read @w : tensor<600xf32>
  return %loss, %w : tensor<f32>, tensor<600xf32>
}
"""


def variable(file, name):
    """The bf16 numbers of a variable in a safetensors file."""
    data = file.read_bytes()
    size, = struct.unpack("<Q", data[:8])
    entry = json.loads(data[8:8 + size])[name]
    assert entry["dtype"] == "BF16", entry
    begin, end = (8 + size + offset for offset in entry["data_offsets"])
    return [from_bits(word << 16) for word, in struct.iter_unpack("<H", data[begin:end])]


def check_slots(folder, optimizer, slots, expected, faults):
    """The first step's slots are neighbours of what the definition gives, on both sides of it, and not the same ones in the next."""
    path = folder / "step.mlir"
    path.write_text(STEP.replace("OPTIMIZER", optimizer))
    gradient = [0.5 + i / 1201 for i in range(600)]
    write(folder / "x.npy", Array([600], gradient, "f32"))
    state = folder / "state.safetensors"
    for way in ((), ("--interpret",)):
        run(path, "step", {"x": f"@{folder}/x.npy"}, {}, f"--save-state={state}", *way)
        values = [variable(state, f"w.{slot}") for slot in slots]
        for slot, row in zip(slots, values):
            above = 0
            for g, value in zip(gradient, row):
                exact = expected[slot](g)
                low, high = neighbours(exact)
                above += value > exact
                if not low * (1 - 1e-6) <= value <= high * (1 + 1e-6):
                    faults.append(f"{optimizer} {way}: {slot} of {g} is {value}, expected {low} or {high}")
            if not 200 < above < 400:
                faults.append(f"{optimizer} {way}: {above} of 600 of {slot} are rounded up")


def main():
    folder = Path(sys.argv[1])
    faults = []
    for half in ("", "upper"):
        check_rounding(folder, half, faults)
    check_slots(folder, "adam<slots = bf16>", ["mean", "variance"],
                {"mean": lambda g: 0.1 * g, "variance": lambda g: 0.001 * g * g}, faults)
    check_slots(folder, "momentum<slots = bf16>", ["momentum"], {"momentum": lambda g: g}, faults)
    print("\n".join(faults) or "all agree")
    sys.exit(bool(faults))


main()
