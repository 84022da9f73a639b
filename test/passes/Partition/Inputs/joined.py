"""Joins what the ranks of a job hold of variables, to compare it with the variables of one rank."""
import json
import math
import struct


def read_state(path):
    """Returns shape and elements of the f32 variables in a safetensors file."""
    with open(path, "rb") as file:
        content = file.read()
    length, = struct.unpack("<Q", content[:8])
    state = {}
    for name, entry in json.loads(content[8:8 + length]).items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        state[name] = entry["shape"], list(struct.unpack(f"<{(end - begin) // 4}f", content[begin:end]))
    return state


def join(shape, stacked, values, model):
    """Returns the whole variable, and whether ranks have blocks of it. The first dimension of `stacked` counts the ranks, of which the
    axis model, the last one, has `model`; ranks that have the same block must have the same bits."""
    ranks, local = stacked[0], stacked[1:]
    size = math.prod(local)
    blocks = [values[i * size:(i + 1) * size] for i in range(ranks)]
    for i, block in enumerate(blocks):
        assert block == blocks[i % model], "ranks with the same block have other bits"
    if local == shape:
        assert all(block == blocks[0] for block in blocks), "ranks have other bits of a whole variable"
        return blocks[0], False
    dim, = [d for d in range(len(shape)) if local[d] != shape[d]]
    assert local[dim] * model == shape[dim], f"{local} is no block of {shape}"
    inner = math.prod(local[dim:])
    return [x for start in range(0, size, inner) for block in blocks[:model] for x in block[start:start + inner]], True


def compare(what, expected, got, tolerance):
    """Fails if numbers differ by more than the tolerance times the largest one, or 1."""
    assert len(expected) == len(got), f"{what}: {len(got)} elements, expected {len(expected)}"
    worst = max(abs(a - b) for a, b in zip(expected, got))
    scale = max(1, max(abs(a) for a in expected))
    assert worst <= tolerance * scale, f"{what} differs by {worst}, of values up to {scale}"
