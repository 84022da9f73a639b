"""Compiles a kernel by Triton and runs it: arguments are numpy arrays of the formats, tensor descriptors, numbers."""
import ctypes
import os
import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.experimental.gluon import language as gl
from triton.experimental.gluon._runtime import GluonASTSource

from formats import FORMATS

NUMBERS = {"i32": ctypes.c_int32, "i64": ctypes.c_int64, "fp32": ctypes.c_float}


@dataclass
class Array:
    """Values as f64, in memory as `format`; those of a result alone only say its shape. `box`: of a
    tensor descriptor, by which the kernel reads and writes it."""
    format: str
    values: np.ndarray
    box: tuple = ()
    isResult: bool = False
    isInput: bool = True

    @property
    def type(self):
        return f"tensordesc<{self.format}{list(self.box)}>" if self.box else f"*{self.format}"

    @property
    def gluon_type(self):
        """In Gluon a descriptor's type says how a box lies in shared memory."""
        if not self.box:
            return self.type
        element = {"fp16": gl.float16, "bf16": gl.bfloat16, "fp32": gl.float32}[self.format]
        return f"{self.type[:-1]},{gl.NVMMASharedLayout.get_default_for(list(self.box), element)!r}>"


def result(format, *shape, box=()):
    return Array(format, np.zeros(shape), box, isResult=True, isInput=False)


@dataclass
class Run:
    """A launch: a kernel, its arguments by name, constants, the grid, and Triton's options."""
    kernel: object
    arguments: dict
    constants: dict
    grid: tuple
    options: dict = field(default_factory=dict)


@dataclass
class Case:
    """A run on these architectures. `make` gives it, and of each result what is wanted and how far it may lie from it."""
    name: str
    archs: tuple
    make: object


def compile(run, arch, dump, name):
    signature, aligned = {}, {}
    for place, parameter in enumerate(run.kernel.arg_names):
        argument = run.arguments.get(parameter)
        if argument is None:
            signature[parameter] = "constexpr"
        elif isinstance(argument, Array):
            signature[parameter] = argument.gluon_type if run.kernel.is_gluon() else argument.type
        else:
            signature[parameter] = "fp32" if isinstance(argument, float) else "i32"
        if isinstance(argument, Array) and not argument.box or isinstance(argument, int) and argument % 16 == 0:
            aligned[(place,)] = [["tt.divisibility", 16]]
    source_of = GluonASTSource if run.kernel.is_gluon() else ASTSource
    source = source_of(run.kernel, signature, constexprs=run.constants, attrs=aligned)
    made = triton.compile(source, target=GPUTarget("cuda", arch, 32), options=run.options)
    if dump:
        Path(dump, f"{name}.ptx").write_text(made.asm["ptx"])
        Path(dump, f"{name}.ttgir").write_text(made.asm["ttgir"])
    return made


def parameters(device, run, made, blocks):
    """Returns the kernel's arguments in the order of its PTX, and the addresses of the arrays."""
    maps = iter(getattr(made.metadata, "tensordesc_meta", None) or [])
    given, addresses = [], {}
    for name in run.kernel.arg_names:
        argument = run.arguments.get(name)
        if argument is None:
            continue
        if not isinstance(argument, Array):
            given.append(NUMBERS["fp32" if isinstance(argument, float) else "i32"](argument))
            continue
        kind = FORMATS[argument.format]
        image = np.ascontiguousarray(kind.encode(argument.values))
        address = device.upload(image) if argument.isInput else device.allocate(image.nbytes)
        addresses[name] = address
        if not argument.box:
            given.append(ctypes.c_uint64(address))
            continue
        strides = [s // image.itemsize for s in image.strides]
        meta = next(maps)
        given.append(device.tensor_map(address, element=HOST_ELEMENTS.get(meta["elem_type"], meta["elem_type"]),
                                       element_bytes=meta["elem_size"], shape=image.shape, strides=strides,
                                       box=meta["block_size"], swizzle=meta["swizzle"]))
        given += [ctypes.c_int32(extent) for extent in image.shape] + [ctypes.c_int64(stride) for stride in strides]
    # Triton's own at the end: memory for the blocks, and for its profiler.
    scratch = made.metadata.global_scratch_size * blocks
    addresses[None] = device.allocate(scratch) if scratch else 0
    return given + [ctypes.c_uint64(addresses[None]), ctypes.c_uint64(0)], addresses


# Triton numbers the elements of tensor maps as PTX does; of these the driver has other numbers.
HOST_ELEMENTS = {8: 10, 9: 8, 10: 9}


def execute(device, run, arch, dump=None, name=""):
    """The results by name as f64."""
    made = compile(run, arch, dump, name)
    text, metadata = made.asm["ptx"], made.metadata
    grid = (*run.grid, 1, 1)[:3]
    given, addresses = parameters(device, run, made, int(np.prod(grid)) * metadata.num_ctas)
    wanted = text[text.index(".entry"):].split(")")[0].count(".param")
    if wanted != len(given):
        raise RuntimeError(f"the kernel has {wanted} parameters, given are {len(given)}")
    threads = int(re.search(r"\.reqntid (\d+)", text).group(1)) # with warp specialisation more than it was told
    module, function = device.load(text, metadata.name)
    device.launch(function, grid, threads, metadata.shared, given, metadata.num_ctas)
    results = {}
    for name, address in addresses.items():
        argument = run.arguments.get(name)
        if argument is not None and argument.isResult:
            kind = FORMATS[argument.format]
            results[name] = kind.decode(device.download(address, argument.values.shape, kind.dtype))
        if address:
            device.free(address)
    device.unload(module)
    return results
