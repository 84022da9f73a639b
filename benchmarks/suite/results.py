"""Results in a file: reading, writing and what the tables ask of them. docs/benchmarks.md describes the format."""
import json
import os

FORMAT = 1
NAMES = {"lathe": "Lathe", "lathe_fast": "Lathe, fast", "onnxruntime": "ONNX Runtime", "openvino": "OpenVINO", "jax": "JAX", "torch": "PyTorch",
         "inductor": "PyTorch, compiled"}
OURS = ("lathe", "lathe_fast")  # not peers


class FormatError(Exception):
    pass


def read(path):
    with open(path, encoding="utf-8") as file:
        found = json.load(file)
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise FormatError(f"'{path}' does not have results of format {FORMAT}; run benchmarks/suite/run to make some")
    return found


def write(path, results):
    """Writes all at once: a reader never sees half a file."""
    with open(path + ".part", "w", encoding="utf-8") as file:
        file.write(json.dumps(results, indent=1) + "\n")
    os.replace(path + ".part", path)


def measured(results):
    """Returns {(row, peer, threads): numbers} of what was measured, in the order of the file."""
    return {(row["name"], entry["peer"], entry["threads"]): entry
            for row in results["rows"] for entry in row["measured"] if "median_ms" in entry}


def ratio(found, row, peer, threads, ours="lathe"):
    """Returns a peer's time over Lathe's, or None where one of them was not measured. `ours` may be "lathe_fast"."""
    mine, theirs = found.get((row, ours, threads)), found.get((row, peer, threads))
    return theirs["median_ms"] / mine["median_ms"] if mine and theirs else None


def best_ratio(found, row, threads, ours="lathe"):
    """Returns the fastest peer's time over Lathe's, or None where no peer was measured."""
    ratios = [ratio(found, row, peer, threads, ours) for peer in peers_of(found)]
    return min((value for value in ratios if value is not None), default=None)


def has_fast(found):
    """True if Lathe was measured with --math=fast, too."""
    return any(peer == "lathe_fast" for _, peer, _ in found)


def peers_of(found):
    """Returns the peers that were measured, in the order of the tables."""
    return [peer for peer in NAMES if peer not in OURS and any(key[1] == peer for key in found)]
