"""Results in a file: reading, writing and what the tables ask of them. docs/benchmarks.md describes the format."""
import json
import os

FORMAT = 1
NAMES = {"lathe": "Lathe", "onnxruntime": "ONNX Runtime", "openvino": "OpenVINO", "jax": "JAX", "torch": "PyTorch",
         "inductor": "PyTorch, compiled"}


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


def ratio(found, row, peer, threads):
    """Returns a peer's time over Lathe's, or None where one of them was not measured."""
    ours, theirs = found.get((row, "lathe", threads)), found.get((row, peer, threads))
    return theirs["median_ms"] / ours["median_ms"] if ours and theirs else None


def peers_of(found):
    """Returns the peers that were measured, in the order of the tables."""
    return [peer for peer in NAMES if peer != "lathe" and any(key[1] == peer for key in found)]
