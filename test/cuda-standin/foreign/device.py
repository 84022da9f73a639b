"""The driver's entry points that launching needs, by ctypes: memory, modules of PTX, tensor maps, launches."""
import ctypes
from ctypes import byref, c_int, c_size_t, c_uint, c_uint32, c_uint64, c_void_p

import numpy as np

MAX_SHARED = 8 # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
CLUSTER_DIMENSION = 4 # CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
MAP_BYTES = 128


class Attribute(ctypes.Structure):
    _fields_ = [("id", c_int), ("padding", c_int), ("value", c_uint * 16)]


class Config(ctypes.Structure):
    _fields_ = [("grid", c_uint * 3), ("block", c_uint * 3), ("shared", c_uint), ("stream", c_void_p),
                ("attributes", ctypes.POINTER(Attribute)), ("count", c_uint)]


class Device:
    def __init__(self):
        self.driver = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        self.begin()

    def begin(self):
        context = c_void_p()
        self.call("cuDevicePrimaryCtxRetain", byref(context), 0)
        self.call("cuCtxSetCurrent", context)

    def begin_again(self):
        """After a fault, which stays with a context."""
        self.call("cuDevicePrimaryCtxReset_v2", 0)
        self.begin()

    def call(self, name, *arguments):
        code = getattr(self.driver, name)(*arguments)
        if code:
            raise RuntimeError(f"{name}: error {code}")

    def upload(self, array):
        address = self.allocate(array.nbytes)
        self.call("cuMemcpyHtoD_v2", c_uint64(address), array.ctypes.data_as(c_void_p), c_size_t(array.nbytes))
        return address

    def allocate(self, size):
        address = c_uint64()
        self.call("cuMemAlloc_v2", byref(address), c_size_t(size))
        return address.value

    def free(self, address):
        self.call("cuMemFree_v2", c_uint64(address))

    def download(self, address, shape, dtype):
        array = np.empty(shape, dtype)
        self.call("cuMemcpyDtoH_v2", array.ctypes.data_as(c_void_p), c_uint64(address), c_size_t(array.nbytes))
        return array

    def load(self, ptx, name):
        module, function = c_void_p(), c_void_p()
        self.call("cuModuleLoadDataEx", byref(module), ptx.encode() + b"\0", 0, None, None)
        self.call("cuModuleGetFunction", byref(function), module, name.encode())
        return module, function

    def unload(self, module):
        self.call("cuModuleUnload", module)

    def tensor_map(self, address, *, element, element_bytes, shape, strides, box, swizzle):
        """Makes the map of a tensor, with its dimensions outermost first; strides are in elements, the last is 1."""
        rank = len(shape)
        room = (ctypes.c_char * (2 * MAP_BYTES))()
        skipped = -ctypes.addressof(room) % MAP_BYTES
        result = (ctypes.c_char * MAP_BYTES).from_buffer(room, skipped)
        self.call("cuTensorMapEncodeTiled", result, element, c_uint32(rank), c_void_p(address),
                  (c_uint64 * rank)(*reversed(shape)), (c_uint64 * rank)(*(s * element_bytes for s in reversed(strides[:-1]))),
                  (c_uint32 * rank)(*reversed(box)), (c_uint32 * rank)(*[1] * rank), 0, swizzle, 0, 0)
        return result

    def launch(self, function, grid, threads, shared, parameters, cluster=1):
        self.call("cuFuncSetAttribute", function, MAX_SHARED, shared)
        attribute = Attribute(CLUSTER_DIMENSION, 0, (c_uint * 16)(cluster, 1, 1))
        config = Config((c_uint * 3)(grid[0] * cluster, *grid[1:]), (c_uint * 3)(threads, 1, 1), shared, None,
                        ctypes.pointer(attribute), int(cluster > 1))
        addresses = (c_void_p * len(parameters))(*map(ctypes.addressof, parameters))
        self.call("cuLaunchKernelEx", byref(config), function, addresses, None)
        self.call("cuCtxSynchronize")
