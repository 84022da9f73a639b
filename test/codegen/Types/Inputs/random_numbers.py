"""random_numbers.py: runs a graph with every kind of random numbers in each way that lathe-run has. All ways must give the same
bits; these must be what the definitions in RandomOps.td say, written out here once more; and the numbers must pass tests of their
distributions. The seeds are fixed: a run that passes once passes always."""
import math
import statistics
import struct
import subprocess

import npyfile

COUNT = 5003
SEED = 0x123456789ABCDEF0
WAYS = [["--interpret"], ["-O0"], ["--target=x86-64-v2"], ["--target=x86-64-v3"], []]
MASK = 0xFFFFFFFF
RESULTS = {
    "u64": ("random_uniform %s stream 1 to [{n}] : f64", "f64"), "u32": ("random_uniform %s stream 2 to [{n}] : f32", "f32"),
    "u16": ("random_uniform %s stream 3 to [{n}] : f16", "f16"), "ub16": ("random_uniform %s stream 4 to [{n}] : bf16", "bf16"),
    "n64": ("random_normal %s stream 5 to [{n}] : f64", "f64"), "n32": ("random_normal %s stream 6 to [{n}] : f32", "f32"),
    "n16": ("random_normal %s stream 6 to [{n}] : f16", "f16"), "nb16": ("random_normal %s stream 6 to [{n}] : bf16", "bf16"),
    "i8": ("random_integers %s stream 7 from -128 below 128 to [{n}] : i8", "i8"),
    "ui16": ("random_integers %s stream 8 from 5 below 12 to [{n}] : ui16", "ui16"),
    "i32": ("random_integers %s stream 9 from -2147483648 below 2147483648 to [{n}] : i32", "i32"),
    "i64": ("random_integers %s stream 10 from 9000000000000000000 below 9000000000000000010 to [{n}] : i64", "i64"),
    "coin": ("random_bernoulli %s stream 11 probability 0.3 to [{n}] : i1", "i1"),
    "always": ("random_bernoulli %s stream 11 probability 1.0 to [{n}] : i1", "i1"),
    "order": ("random_permutation %s stream 12 to [{n}] : i32", "i32"),
}


def threefry(key, counter):
    x, y = counter
    keys = [key & MASK, key >> 32 & MASK]
    keys.append(keys[0] ^ keys[1] ^ 0x1BD11BDA)
    x, y = x + keys[0] & MASK, y + keys[1] & MASK
    for block in range(5):
        for rotation in ((13, 15, 26, 6), (17, 29, 16, 24))[block % 2]:
            x = x + y & MASK
            y = (y << rotation | y >> 32 - rotation) & MASK ^ x
        x, y = x + keys[(block + 1) % 3] & MASK, y + keys[(block + 2) % 3] + block + 1 & MASK
    return x, y


def bits(stream, width, seed=SEED, count=COUNT):
    for i in range(count):
        first, second = threefry(seed, (i, stream))
        yield first if width == 32 else second << 32 | first


def graph():
    tensors = {name: f"tensor<{COUNT}x{kind}>" for name, (_, kind) in RESULTS.items()}
    shown = {name: kind.replace("bf16", "f32") for name, kind in tensors.items()}
    results = ", ".join(f'{kind} {{lathe.name = "r_{name}"}}' for name, kind in shown.items())
    lines = [f'func.func @all(%s: tensor<i64>, %t: tensor<i64>) -> ({results}, tensor<i64> {{lathe.name = "r_folded"}}) {{']
    for name, (op, kind) in RESULTS.items():
        lines.append(f"  %{name} = lathe.{op.format(n=COUNT)}")
        if kind == "bf16":
            lines.append(f"  %{name}_shown = lathe.convert %{name} to f32 : {tensors[name]}")
    lines.append("  %folded = lathe.random_fold_in %s, %t : tensor<i64>")
    names = ", ".join(f"%{name}" + ("_shown" if kind == "bf16" else "") for name, (_, kind) in RESULTS.items())
    lines += [f"  return {names}, %folded : {', '.join(shown.values())}, tensor<i64>", "}"]
    with open("graph.mlir", "w") as file:
        file.write("\n".join(lines) + "\n")


def run(way):
    names = [*RESULTS, "folded"]
    outputs = [f"--output=r_{name}=@{name}.npy" for name in names]
    subprocess.run(["lathe-run", "graph.mlir", "all", f"--input=s={SEED}", "--input=t=77", *outputs, *way], check=True)
    return {name: npyfile.read(f"{name}.npy") for name in names}


def check(holds, *what):
    if not holds:
        raise SystemExit(" ".join(map(str, what)))


def rounded(code, value):
    return struct.unpack(code, struct.pack(code, value))[0]


def check_definitions(values):
    uniform = {"u64": (64, 1, 53), "u32": (32, 2, 24), "u16": (32, 3, 11), "ub16": (32, 4, 8)}
    for name, (width, stream, kept) in uniform.items():
        expected = [(word >> width - kept) / 2**kept for word in bits(stream, width)]
        check(values[name] == expected, name, "is not what it should be")
    integers = {"i8": (7, -128, 128), "ui16": (8, 5, 12), "i32": (9, -2**31, 2**31), "i64": (10, 9 * 10**18, 9 * 10**18 + 10)}
    for name, (stream, low, high) in integers.items():
        expected = [low + (word * (high - low) >> 64) for word in bits(stream, 64)]
        check(values[name] == expected, name, "is not what it should be")
    check(values["coin"] == [word < round(0.3 * 2**32) for word in bits(11, 32)], "bernoulli is not what it should be")
    check(all(values["always"]), "bernoulli of 1 is not always true")
    keys = [word - 2**64 if word >> 63 else word for word in bits(12, 64)]
    check(values["order"] == sorted(range(COUNT), key=keys.__getitem__), "the permutation is not what it should be")

    def hashed(seed):
        return next(bits(MASK, 64, seed, 1))
    check(values["folded"][0] % 2**64 == hashed(hashed(SEED) ^ 77), "fold_in is not what it should be")
    normal = statistics.NormalDist()
    for name, width, stream, kept, tolerance in (("n64", 64, 5, 53, 1e-13), ("n32", 32, 6, 24, 2e-6)):
        for value, word in zip(values[name], bits(stream, width)):
            expected = normal.inv_cdf((2 * (word >> width - kept) + 1) / 2**(kept + 1))
            check(abs(value - expected) <= tolerance * max(abs(expected), 2.0**-kept), name, value, expected)
    for name, halves in (("n16", [rounded("e", x) for x in values["n32"]]), ("nb16", list(map(to_bfloat, values["n32"])))):
        check(values[name] == halves, name, "is not n32 rounded")


def to_bfloat(value):
    word = struct.unpack("I", struct.pack("f", value))[0]
    return struct.unpack("f", struct.pack("I", (word + 0x7FFF + (word >> 16 & 1)) >> 16 << 16))[0]


def furthest(values, distribution):
    """Kolmogorov's and Smirnov's distance, over its standard size."""
    ordered = sorted(values)
    n = len(ordered)
    return max(max(abs(distribution(x) - i / n), abs(distribution(x) - (i + 1) / n)) for i, x in enumerate(ordered)) * math.sqrt(n)


def chi_square(counts, expected):
    """Returns a number that is normal for many counts: (X - k) / sqrt(2 k)."""
    freedom = len(counts) - 1
    return (sum((c - expected)**2 for c in counts) / expected - freedom) / math.sqrt(2 * freedom)


def check_statistics(values):
    for name in ("u64", "u32", "u16"):
        check(furthest(values[name], lambda x: x) < 1.63, name, "is not uniform")  # 1 % of streams are further
        check(abs(statistics.mean(values[name]) - 0.5) < 3 / math.sqrt(12 * COUNT), name, "has a wrong mean")
        check(0 <= min(values[name]) and max(values[name]) < 1, name, "leaves [0, 1)")
    normal = statistics.NormalDist()
    for name in ("n64", "n32"):
        check(furthest(values[name], normal.cdf) < 1.63, name, "is not normal")
        check(abs(statistics.mean(values[name])) < 3 / math.sqrt(COUNT), name, "has a wrong mean")
        check(abs(statistics.variance(values[name]) - 1) < 3 * math.sqrt(2 / COUNT), name, "has a wrong variance")
    check(abs(chi_square([values["i8"].count(x) for x in range(-128, 128)], COUNT / 256)) < 3, "i8 is not uniform")
    check(abs(chi_square([values["ui16"].count(x) for x in range(5, 12)], COUNT / 7)) < 3, "ui16 is not uniform")
    check(abs(sum(values["coin"]) - 0.3 * COUNT) < 3 * math.sqrt(0.21 * COUNT), "bernoulli has a wrong mean")
    fixed = sum(i == x for i, x in enumerate(values["order"]))
    check(fixed < 6, "the permutation leaves", fixed, "places as they are")  # 1 on average
    pairs = [a < b for a, b in zip(values["order"][::2], values["order"][1::2])]
    check(abs(sum(pairs) - len(pairs) / 2) < 1.5 * math.sqrt(len(pairs)), "the permutation keeps an order")


def main():
    graph()
    first = run(WAYS[0])
    values = {name: npyfile.read_values(f"{name}.npy") for name in first}
    for way in WAYS[1:]:
        other = run(way)
        for name in first:
            check(first[name] == other[name], name, "has other bits with", way)
    check_definitions(values)
    check_statistics(values)
    print(f"{len(first)} results of {COUNT} numbers have the same bits in {len(WAYS)} ways, are as defined and well distributed")


if __name__ == "__main__":
    main()
