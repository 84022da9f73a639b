"""The small cases' results against stored ones, by nothing but Python: for the stand-in for a driver."""
import ast
import struct

import cases

CODES = {"f64": "d", "f32": "f", "f16": "e", "i32": "i"}


def read_npy(path):
    data = path.read_bytes()
    size, = struct.unpack_from("<H", data, 8)
    header = ast.literal_eval(data[10:10 + size].decode())
    return header["descr"], data[10 + size:]


def to_bytes(path, element):
    """As the device has the elements; a file has bf16 as the f32 that they are."""
    kind, data = read_npy(path)
    if element == "bf16":
        if kind != "<f4":
            raise SystemExit(f"{path} is {kind}")
        return b"".join(data[i + 2:i + 4] for i in range(0, len(data), 4))
    return data


def numbers(data, element):
    if element == "bf16":
        return [struct.unpack("<f", b"\0\0" + data[i:i + 2])[0] for i in range(0, len(data), 2)]
    return struct.unpack(f"<{len(data) // cases.BYTES[element]}{CODES[element]}", data)


def check(case, entry, device, folder):
    """Ends the program where a result differs by more than the case's tolerance."""
    given = [device.upload(to_bytes(folder / f"in-{name}.npy", spec[1])) for name, spec in case.inputs.items()]
    sizes = [cases.count(shape) * cases.BYTES[element] for shape, element in case.results]
    places = [device.alloc(size) for size in sizes]
    entry.bind(given + places)
    for _ in range(3):  # as it is, recorded, and from the record
        entry()
    for place, size, name, (_, element) in zip(places, sizes, entry.names[len(given):], case.results):
        got = numbers(device.download(place, size), element)
        wanted = numbers(to_bytes(folder / f"out-{name}.npy", element), element)
        largest = max(map(abs, wanted))
        limit = 0 if case.is_exact else case.tolerance * largest
        wrong = [(x, y) for x, y in zip(got, wanted, strict=True) if not abs(x - y) <= limit]
        if wrong:
            raise SystemExit(f"{case.what}: {name}: {len(wrong)} elements differ, the first is {wrong[0][0]}, not {wrong[0][1]}")
    for place in given + places:
        device.free(place)
