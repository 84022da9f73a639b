"""Compares the types that generated headers carry (codegen/Emit/HeaderWriter.cpp) with the block of include/lathe/runtime.h under
the same guard, without its comments: abi_block.py ROOT. Prints the first difference; exits 1 if there is one."""
import re
import sys
from pathlib import Path


def declarations(block):
    """The block without comments, as words and signs."""
    return re.findall(r"\w+|[^\w\s]|(?<=\n)#", re.sub(r"/\*.*?\*/", " ", block, flags=re.S))


def of_runtime(text):
    return declarations(re.search(r"^#ifndef LATHE_ABI_VERSION.*?^#endif", text, re.S | re.M).group())


def of_writer(text):
    return declarations(re.search(r'kSharedTypes = R"\((.*?)\)"', text, re.S).group(1))


def difference(runtime, writer):
    """Returns the first position where the two texts differ, or None."""
    ours, theirs = of_runtime(runtime), of_writer(writer)
    for i in range(max(len(ours), len(theirs))):
        if ours[i:i + 1] != theirs[i:i + 1]:
            return f"runtime.h has '{' '.join(ours[max(0, i - 3):i + 6])}', HeaderWriter.cpp '{' '.join(theirs[max(0, i - 3):i + 6])}'"
    return None


def main():
    root = Path(sys.argv[1])
    runtime = (root / "include/lathe/runtime.h").read_text()
    writer = (root / "codegen/Emit/HeaderWriter.cpp").read_text()
    found = difference(runtime, writer)
    for old, new in [("LATHE_ERROR_BOUND = 12", "LATHE_ERROR_BOUND = 13"), ("int64_t index[8];", "int64_t index[9];"),
                     ("typedef struct lathe_context lathe_context;", "")]:
        assert old in writer and difference(runtime, writer.replace(old, new, 1)), f"the comparison misses '{new}' for '{old}'"
    print(f"abi-block: {found}" if found else "abi-block: equal")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
