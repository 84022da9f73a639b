"""Times packed cases beside PyTorch on one GPU, in turns on one stream, and prints tables: compare.py FOLDER [--check] [WORD...]

Ratios above 1 mean that Lathe is faster. Each result is compared with PyTorch's in f64 before anything is timed. A turn is as many
calls as fill some milliseconds between two events of the device; each figure is the median of the turns. With words only cases whose
name has one of them. With --check nothing is timed: small cases are compared with stored results, and PyTorch is not needed."""
import statistics
import sys
import time
from pathlib import Path

import cases
from check import check
from device import Device, Entry

ROUNDS, TURN = 7, 0.02  # seconds
HOST_CALLS = 200


class Peer:
    """PyTorch on the stream that Lathe's context has, too."""

    def __init__(self):
        try:
            import torch
        except ImportError:
            raise SystemExit("python3 has no PyTorch, against which is timed; --check needs none, with a folder of pack.py --small") from None
        if not torch.cuda.is_available():
            raise SystemExit("PyTorch finds no GPU")
        self.torch = torch
        self.stream = torch.cuda.Stream()
        torch.cuda.set_stream(self.stream)
        torch.manual_seed(1)
        self.types = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i32": torch.int32}

    def describe(self):
        torch = self.torch
        return (f"{torch.cuda.get_device_name()}, {torch.cuda.get_device_properties(0).multi_processor_count} multiprocessors; PyTorch "
                f"{torch.__version__}, CUDA {torch.version.cuda}, cuDNN {torch.backends.cudnn.version()}")

    def input(self, shape, element, kind):
        if kind == "normal":
            return self.torch.randn(shape, device="cuda", dtype=self.torch.float32).to(self.types[element])
        return self.torch.randint(0, kind, shape, device="cuda", dtype=self.types[element])

    def empty(self, shape, element):
        return self.torch.empty(shape, device="cuda", dtype=self.types[element])

    def set_tf32(self, allowed):
        self.torch.backends.cuda.matmul.allow_tf32 = self.torch.backends.cudnn.allow_tf32 = allowed

    def seconds(self, call, calls):
        """Of a call, on the device."""
        begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record(self.stream)
        for _ in range(calls):
            call()
        end.record(self.stream)
        end.synchronize()
        return begin.elapsed_time(end) / 1e3 / calls

    def times(self, calls):
        """Of each call by name, in turns."""
        counts = {}
        for name, call in calls.items():
            for _ in range(3):
                call()
            counts[name] = max(1, int(TURN / max(self.seconds(call, 3), 1e-6)))
        turns = {name: [] for name in calls}
        for _ in range(ROUNDS):
            for name, call in calls.items():
                turns[name].append(self.seconds(call, counts[name]))
        return {name: statistics.median(each) for name, each in turns.items()}

    def compiled(self, case, placed):
        """A call of what torch.compile makes; None where it cannot, as without a C compiler."""
        self.torch.compiler.reset()
        function = self.torch.compile(lambda *tensors: case.peer(self.torch, *tensors), dynamic=False)
        try:
            function(*placed)
        except Exception as reason:  # whatever it fails by
            print(f"torch.compile: {type(reason).__name__}", file=sys.stderr)
            return None
        return lambda: function(*placed)

    def copy_rate(self):
        """Bytes read and written a second, of a copy that no cache holds."""
        source = self.empty((1 << 28,), "f32")
        target = self.torch.empty_like(source)
        return 2 * source.numel() * 4 / self.times({"copy": lambda: target.copy_(source)})["copy"]


def in_tuple(value):
    return list(value) if isinstance(value, (tuple, list)) else [value]


def difference(value, exact):
    """The largest difference, over the largest value."""
    exact = exact.double()
    return ((value.double() - exact).abs().max() / exact.abs().max()).item()


class Wrong(Exception):
    """A case whose result is not the one expected, or that could not be had."""


def errors(peer, case, entry, results, inputs, placed):
    """Lathe's and PyTorch's largest difference from f64. Lathe runs as it is, recorded, and from the record, which is compared."""
    own = in_tuple(case.peer(peer.torch, *placed))
    wide = [tensor.double() if tensor.is_floating_point() else tensor for tensor in inputs]
    exact = in_tuple(case.peer(peer.torch, *case.peer_inputs(peer.torch, *wide)))
    for _ in range(3):
        for result in results:
            result.fill_(float("nan") if result.is_floating_point() else -1)
        entry()
    peer.torch.cuda.synchronize()
    limit = 0 if case.is_exact else case.tolerance
    pairs = [(difference(result, value), difference(other, value)) for result, other, value in zip(results, own, exact)]
    for own_error, _ in pairs:
        if not own_error <= limit:
            raise Wrong(f"differs by {own_error:.1e} of the largest result")
    return max(pairs)


def measure(peer, device, folder, case):
    inputs = [peer.input(*spec) for spec in case.inputs.values()]
    results = [peer.empty(*spec) for spec in case.results]
    placed = case.peer_inputs(peer.torch, *inputs)
    entry = Entry(device, str(folder / f"{case.name}.so"), case.name)
    entry.bind([tensor.data_ptr() for tensor in inputs + results])
    peer.set_tf32(case.tf32)
    try:
        own, other = errors(peer, case, entry, results, inputs, placed)
        calls = {"Lathe": entry, "PyTorch": lambda: case.peer(peer.torch, *placed)}
        if not case.flops:
            compiled = peer.compiled(case, placed)
            if compiled:
                calls["PyTorch, compiled"] = compiled
        return peer.times(calls), own, other
    finally:
        entry.release()


wrong = []  # what the cases were


def each(peer, device, folder, chosen):
    """What measure gives of each case; a row that says why of one that is wrong, whose names come back at the end."""
    for case in chosen:
        try:
            yield case, *measure(peer, device, folder, case)
        except Wrong as reason:
            wrong.append(case.what)
            print(f"| {case.what} | {reason} |", flush=True)


def products(peer, device, folder, chosen):
    print("\n| product | Lathe TFLOP/s | PyTorch TFLOP/s | Lathe / PyTorch | error | PyTorch's error |\n|---|---|---|---|---|---|")
    for case, times, own, other in each(peer, device, folder, chosen):
        lathe, torch = (case.flops / times[name] / 1e12 for name in ("Lathe", "PyTorch"))
        print(f"| {case.what} | {lathe:.1f} | {torch:.1f} | {lathe / torch:.2f} | {own:.1e} | {other:.1e} |", flush=True)


def memory(peer, device, folder, chosen):
    rate = peer.copy_rate()
    print(f"\nA copy moves {rate / 1e12:.2f} TB/s. Of a case counts what must be read and written once.\n")
    print("| kernel | Lathe TB/s | of the copy | PyTorch | PyTorch, compiled |\n|---|---|---|---|---|")
    for case, times, *_ in each(peer, device, folder, chosen):
        lathe = case.bytes / times["Lathe"]
        others = " | ".join(f"{times[name] / times['Lathe']:.2f}" if name in times else "" for name in ("PyTorch", "PyTorch, compiled"))
        print(f"| {case.what} | {lathe / 1e12:.2f} | {lathe / rate:.0%} | {others} |", flush=True)


def digits(device, folder, seconds_of=None):
    """A training step of 32 images: what the host is busy with, and what the device needs. Without seconds_of, of one image, three
    times: as it is, recorded, and from the record."""
    count = 32 if seconds_of else 1
    entry = Entry(device, str(folder / "digits.so"), "digits", "train_step")
    images = bytes(count * 16 * 16 * 4)
    rate = b"\x17\xb7\xd1\x38"  # 1e-4
    arguments = {"image": images, "label": bytes(count * 4), "learning_rate": rate}
    places = [device.upload(arguments[name]) if name in arguments else device.alloc(4) for name in entry.names]
    entry.bind(places, (count,))
    for _ in range(3):
        entry()
    device.synchronize()
    if not seconds_of:
        return
    begin = time.perf_counter()
    for _ in range(HOST_CALLS):
        entry()
    host = (time.perf_counter() - begin) / HOST_CALLS
    device.synchronize()
    print(f"\nA digits step of 32 images: {host * 1e6:.1f} us of the host's time (10 at most are asked for), of which Python's call is a "
          f"part; {seconds_of(entry, HOST_CALLS) * 1e6:.0f} us of the device's.", flush=True)


def main():
    folder = Path(sys.argv[1]).resolve()
    words = [word for word in sys.argv[2:] if not word.startswith("-")]
    is_check = "--check" in sys.argv

    def chosen(every):
        return [case for case in every if not words or any(word in case.name for word in words)]

    if is_check:
        device = Device(str(folder / "libruntime.so"))
        for case in chosen(cases.SMALL):
            check(case, Entry(device, str(folder / f"{case.name}.so"), case.name), device, folder / case.name)
        digits(device, folder)
        print(f"{len(chosen(cases.SMALL))} cases agree")
        return
    peer = Peer()
    device = Device(str(folder / "libruntime.so"), peer.stream.cuda_stream)
    device.set_asynchronous(True)
    print(peer.describe())
    every = chosen(cases.FULL)
    products(peer, device, folder, [case for case in every if case.flops])
    memory(peer, device, folder, [case for case in every if not case.flops])
    if not words:
        digits(device, folder, peer.seconds)
    if wrong:
        raise SystemExit(f"wrong: {', '.join(wrong)}")


main()
