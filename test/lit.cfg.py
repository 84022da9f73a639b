# The text tests: each file under test/ with RUN lines is one. lit.site.cfg.py, made by CMake, says where things are.
import ctypes
import os
import shutil

import lit.formats

config.name = "lathe"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = config.lathe_source + "/test"
config.test_exec_root = config.lathe_build + "/test"

# lathec and its like come first, then FileCheck, not and count.
path = [config.lathe_build + "/bin", config.llvm_tools, os.environ.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)
config.environment["LC_ALL"] = "C"
config.environment["PYTHONPATH"] = config.lathe_source + "/test"  # test/npyfile.py
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
config.environment["XDG_CACHE_HOME"] = config.lathe_build + "/test/cache"  # the machine's limits, measured once

c_flags = f"-std=c11 -Wall -Wextra -pedantic -Werror -I{config.lathe_source}/include"
config.substitutions += [
    ("%cc", f"{config.c_compiler} {c_flags}"),
    # The clang of lathec's LLVM, so that instrumented objects find the runtime that they were made for.
    ("%sanitizing-cc", f"{config.llvm_tools}/clang {c_flags} -D_POSIX_C_SOURCE=200809L -g -O1"),
    ("%cxx", f"{config.cxx_compiler} -std=c++17 -Wall -Wextra -pedantic -Werror -I{config.lathe_source}/include"),
    # Both compilers of C++, with the warnings that projects turn on.
    *[(f"%strict-{name}", f"{path} -std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wold-style-cast -Wshadow "
                          f"-Werror -I{config.lathe_source}/include")
      for name, path in [("gxx", "g++"), ("clangxx", config.llvm_tools + "/clang++")]],
    ("%runtime", f"{config.lathe_build}/lib/liblathe_runtime.a -pthread"),
    ("%python", config.python),
    ("%npy", f"{config.python} {config.lathe_source}/test/npyfile.py"),
    ("%source", config.lathe_source),
    ("%examples", config.lathe_source + "/examples"),
    ("%build", config.lathe_build),
    # An ONNX model, and a tensor of a test data folder, of their text forms.
    ("%onnx", f"protoc --proto_path={config.lathe_build}/lib/Import/ONNX --encode=onnx.ModelProto onnx.proto"),
    ("%tensor", f"protoc --proto_path={config.lathe_build}/lib/Import/ONNX --encode=onnx.TensorProto onnx.proto"),
]

# Machines of tests have no GPU: the driver is one that interprets code for it (test/cuda-standin).
standin = config.lathe_build + "/test/cuda-standin"
config.substitutions += [
    ("%cuda", f"env LD_LIBRARY_PATH={standin}"),
    ("%no-cuda", "env LD_LIBRARY_PATH="),
    ("%ptxas", config.ptxas),
]
if os.path.isfile(config.ptxas):
    config.available_features.add("ptxas")
config.environment.pop("LATHE_PTXAS", None)



def has_gpu():
    """True if a driver starts here, without the stand-in, and has a device."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int()
    return driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0


if has_gpu():
    config.available_features.add("gpu")

for feature, tool in [("gdb", "gdb"), ("valgrind", "valgrind"), ("compute-sanitizer", "compute-sanitizer"), ("musl", "musl-gcc"),
                      ("aarch64", "aarch64-linux-gnu-gcc"), ("qemu-aarch64", "qemu-aarch64"), ("chromium", "chromium")]:
    if shutil.which(tool):
        config.available_features.add(feature)


def cpu_flags():
    try:
        with open("/proc/cpuinfo") as info:
            return next((set(line.split()) for line in info if line.startswith("flags")), set())
    except OSError:
        return set()


flags = cpu_flags()
if {"avx2", "fma", "bmi2"} <= flags:
    config.available_features.add("x86-64-v3")
if {"amx_tile", "amx_bf16"} <= flags:
    config.available_features.add("amx")
if {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd"} <= flags:
    config.available_features.add("x86-64-v4")
    if "avx512_vnni" in flags:
        config.available_features.add("x86-64-v4-vnni")
        if "avx512_bf16" in flags:
            config.available_features.add("x86-64-v4-bf16")
