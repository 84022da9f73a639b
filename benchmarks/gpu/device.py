"""Entries of a shared object on a GPU, called through the object's tables by nothing but ctypes."""
import ctypes
from ctypes import POINTER, Structure, c_char_p, c_int, c_int32, c_int64, c_uint32, c_uint64, c_void_p

ABSENT = (1 << 32) - 1


class Dimension(Structure):
    _fields_ = [("name", c_char_p), ("minimum", c_int64), ("maximum", c_int64), ("multiple_of", c_int64), ("offset", c_uint32)]


class Argument(Structure):
    _fields_ = [("name", c_char_p), ("type_text", c_char_p), ("dtype", c_uint32), ("rank", c_uint32), ("is_output", c_uint32),
                ("offset", c_uint32), ("line", c_int32), ("counts", c_void_p)]


class Function(Structure):
    _fields_ = [("name", c_char_p), ("symbol", c_char_p), ("dimension_count", c_uint32), ("argument_count", c_uint32),
                ("kernel_count", c_uint32), ("variant_count", c_uint32), ("dimensions", POINTER(Dimension)),
                ("arguments", POINTER(Argument)), ("kernels", c_void_p), ("variants", c_void_p), ("args_size", c_uint32),
                ("state_offset", c_uint32), ("workspace_offset", c_uint32), ("workspace_size_offset", c_uint32),
                ("context_offset", c_uint32), ("error_offset", c_uint32), ("weights_offset", c_uint32),
                ("weights_size_offset", c_uint32),
                ("cold_workspace_offset", c_uint32), ("cold_workspace_size_offset", c_uint32), ("call", ctypes.CFUNCTYPE(c_int, c_void_p)),
                ("workspace_size", ctypes.CFUNCTYPE(c_uint64, c_void_p)), ("shapes", c_void_p), ("shard", c_void_p), ("cold_workspace_size", c_void_p)]


class Module(Structure):
    _fields_ = [("magic", c_uint64), ("abi_version", c_uint32), ("function_count", c_uint32), ("state_count", c_uint32),
                ("name", c_char_p), ("source", c_char_p), ("target", c_char_p), ("state_size", c_uint64), ("weights_size", c_uint64),
                ("state", c_void_p), ("functions", POINTER(Function))]


class ContextRecord(Structure):
    """The head of lathe_context."""
    _fields_ = [("abi_version", c_uint32), ("cpu_level", c_uint32), ("parallel_for", c_void_p), ("profile", c_void_p),
                ("print", c_void_p), ("user", c_void_p), ("device", c_void_p), ("device_arguments", c_uint64)]


class Device:
    """A context whose arguments are all in the device's memory; on a stream of the application's where one is given."""

    def __init__(self, runtime, stream=None):
        self.runtime = ctypes.CDLL(runtime)
        self.error = ctypes.create_string_buffer(512)
        for name in ("lathe_context_create_cuda", "lathe_context_create_cuda_on_stream", "lathe_context_alloc"):
            getattr(self.runtime, name).restype = c_void_p
        if stream is None:
            self.context = self.runtime.lathe_context_create_cuda(0, self.error)
        else:
            self.context = self.runtime.lathe_context_create_cuda_on_stream(0, c_void_p(stream), self.error)
        if not self.context:
            raise SystemExit(self.reason())
        ContextRecord.from_address(self.context).device_arguments = (1 << 64) - 1

    def reason(self):
        text = ctypes.create_string_buffer(1024)
        self.runtime.lathe_error_format(self.error, text, c_uint64(len(text)))
        return text.value.decode()

    def check(self, status):
        if status != 0:
            raise SystemExit(self.reason())

    def set_asynchronous(self, value):
        self.runtime.lathe_context_set_asynchronous(c_void_p(self.context), int(value))

    def synchronize(self):
        self.check(self.runtime.lathe_context_synchronize(c_void_p(self.context), self.error))

    def alloc(self, size):
        place = self.runtime.lathe_context_alloc(c_void_p(self.context), c_uint64(max(size, 1)))
        if not place:
            raise SystemExit("the device's memory is exhausted")
        return place

    def free(self, place):
        self.runtime.lathe_context_free(c_void_p(self.context), c_void_p(place))

    def upload(self, data):
        place = self.alloc(len(data))
        self.check(self.runtime.lathe_context_upload(c_void_p(self.context), c_void_p(place), data, c_uint64(len(data)), self.error))
        return place

    def download(self, place, size):
        data = ctypes.create_string_buffer(size)
        self.check(self.runtime.lathe_context_download(c_void_p(self.context), data, c_void_p(place), c_uint64(size), self.error))
        return data.raw


class Entry:
    """One function of an object; `arguments` are addresses in the device's memory by the order of inputs, then outputs."""

    def __init__(self, device, path, name, function="f"):
        self.device = device
        self.object = ctypes.CDLL(path)
        info = self.object[f"{name}_info"]
        info.restype = POINTER(Module)
        self.module = info().contents
        functions = self.module.functions[: self.module.function_count]
        self.function = next(each for each in functions if each.name.decode() == function)
        self.state = None
        self.workspace = None

    @property
    def names(self):
        return [argument.name.decode() for argument in self.function.arguments[: self.function.argument_count]]

    def bind(self, arguments, sizes=(), state=None):
        """Sets the args struct; sizes in the order of the object's dimensions."""
        function, device = self.function, self.device
        self.args = ctypes.create_string_buffer(function.args_size)
        sizes = (c_int64 * max(len(sizes), 1))(*sizes)
        for size, dimension in zip(sizes, function.dimensions[: function.dimension_count]):
            c_int64.from_buffer(self.args, dimension.offset).value = size
        needed = function.workspace_size(ctypes.addressof(sizes))
        self.workspace = device.alloc(needed)
        if state is None and function.state_offset != ABSENT:
            state = self.state = device.alloc(self.module.state_size)
        words = {function.workspace_offset: self.workspace, function.workspace_size_offset: needed, function.state_offset: state,
                 function.context_offset: device.context, function.error_offset: ctypes.addressof(device.error)}
        for argument, address in zip(function.arguments[: function.argument_count], arguments):
            words[argument.offset] = address
        for offset, word in words.items():
            if offset != ABSENT:
                c_uint64.from_buffer(self.args, offset).value = word or 0

    def __call__(self):
        self.device.check(self.function.call(ctypes.addressof(self.args)))

    def release(self):
        for place in (self.workspace, self.state):
            if place:
                self.device.free(place)
        self.workspace = self.state = None
