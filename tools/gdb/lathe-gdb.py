"""Tensors in gdb: `source lathe-gdb.py`.

A graph's args struct then prints with its tensors: for each the shape, the minimum, maximum and mean, and the first elements.
`lathe-print ARGS NAME` prints all elements of one tensor, or of a variable in the state region. Shapes come from the object's own
tables (docs/runtime-abi.md). The tables are found by their symbol and read as data, in a running process or a core file, without a
call.
"""
import ctypes
import math
import re
import struct

import gdb

MAGIC, ABI_VERSION, ABSENT = 0x3145485441, 9, 0xFFFFFFFF
SHOWN = 16
SUMMED = 1 << 20 # limit on the elements that a summary reads, from the first one on
ADDRESSES = 1 << 47 # size of a process's address space
ELEMENTS = {"i1": "?", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "u8": "B", "u16": "H", "u32": "I", "u64": "Q", "f16": "e",
            "bf16": "H", "f32": "f", "f64": "d"}


def read(address, layout):
    """Returns the fields at an address, in a layout of struct.unpack."""
    return struct.unpack("<" + layout, gdb.selected_inferior().read_memory(address, struct.calcsize("<" + layout)).tobytes())


def text(address):
    return gdb.Value(address).cast(gdb.lookup_type("char").pointer()).string()


def extent_of(polynomial, sizes):
    """Returns the value of "2 * N + 3". Raises KeyError if a dimension has no size."""
    total = 0
    for term in re.split(" (?=[+-] )", polynomial):
        product = math.prod(int(factor) if factor.isdigit() else sizes[factor] for factor in term.lstrip("+- ").split(" * "))
        total += -product if term.startswith("-") else product
    return total


class Tensor:
    """Row-major elements at an address, of a type like f32[N][16]."""

    def __init__(self, name, type_text, address, sizes):
        self.name, self.address = name, address
        self.element, *extents = re.findall(r"^\w+|(?<=\[)[^\]]*", type_text)
        self.size = struct.calcsize("<" + ELEMENTS[self.element])
        try:
            self.shape = [extent_of(extent, sizes) for extent in extents]
        except KeyError:
            self.shape = [-1]
        self.count = math.prod(self.shape)
        self.fault = ""
        if min(self.shape, default=0) < 0 or self.count * self.size >= ADDRESSES:
            self.fault = f"{type_text}, sizes not set"
        elif self.count and not address:
            self.fault = f"{self.head()} NULL"

    def head(self):
        return self.element + "".join(f"[{extent}]" for extent in self.shape)

    def elements(self, first, count):
        code = ELEMENTS[self.element]
        try:
            numbers = read(self.address + first * self.size, f"{count}{code}") if count else ()
        except gdb.MemoryError:
            raise gdb.MemoryError(f"{self.head()} at {self.address:#x}, which is not readable") from None
        if self.element == "bf16":
            return struct.unpack(f"<{count}f", struct.pack(f"<{count}I", *(n << 16 for n in numbers)))
        return numbers

    def spell(self, number):
        """Returns the text that runtime/text.c writes."""
        if self.element[0] in "iu":
            return str(number).lower()
        if not math.isfinite(number):
            return "nan" if number != number else str(number)
        if self.element in ("f16", "bf16"):
            return f"{number:.5g}"
        if self.element == "f32":
            short = (float(f"{number:.{n}e}") for n in range(9))
            number = next(each for each in short if ctypes.c_float(each).value == number)
        return repr(number).removesuffix(".0")

    def summary(self):
        if self.fault or not self.count:
            return self.fault or f"{self.head()} empty"
        try:
            numbers = self.elements(0, self.count if self.count <= SUMMED else SHOWN)
        except gdb.MemoryError as error:
            return str(error)
        if not self.shape:
            return f"{self.head()} {self.spell(numbers[0])}"
        first = " ".join(self.spell(n) for n in numbers[:SHOWN]) + (" ..." if self.count > SHOWN else "")
        if len(numbers) < self.count:
            return f"{self.head()}: {first}"
        low, high = (float("nan"),) * 2 if any(n != n for n in numbers) else (min(numbers), max(numbers))
        return f"{self.head()} min {self.spell(low)} max {self.spell(high)} mean {sum(numbers) / self.count:.6g}: {first}"

    def lines(self):
        """Yields all elements, one line for each row, which begins with its index."""
        if self.fault:
            raise gdb.GdbError(f"{self.name}: {self.fault}")
        width = self.shape[-1] if self.shape else 1
        rows = self.count // width if width else 0
        block = max(SUMMED // max(width, 1), 1) # rows that are read at once
        for start in range(0, rows, block):
            numbers = self.elements(start * width, min(block, rows - start) * width)
            for row in range(start, min(start + block, rows)):
                place, rest = [], row
                for extent in reversed(self.shape[:-1]):
                    place.insert(0, rest % extent)
                    rest //= extent
                yield (f"[{']['.join(map(str, place))}] " if place else "") + " ".join(
                    self.spell(n) for n in numbers[(row - start) * width:(row - start + 1) * width])


class Entry:
    """An entry of an object, described by its tables."""

    def __init__(self, info, row):
        self.info = info
        (self.name, self.symbol, self.dimension_count, self.argument_count, _, _, self.dimensions, self.arguments, _, _, _,
         self.state_offset) = read(row, "QQIIIIQQQQII")

    def sizes(self, args):
        """Returns the sizes of dimensions whose value is within bounds."""
        rows = (read(self.dimensions + 40 * i, "QqqqI") for i in range(self.dimension_count))
        given = ((text(name), least, most, read(args + offset, "q")[0]) for name, least, most, _, offset in rows)
        return {name: size for name, least, most, size in given if least <= size <= most}

    def tensors(self, args):
        sizes = self.sizes(args)
        for i in range(self.argument_count):
            name, type_text, _, _, _, offset = read(self.arguments + 48 * i, "QQIIII")
            yield Tensor(text(name), text(type_text), read(args + offset, "Q")[0], sizes)

    def variables(self, args):
        """Yields the variables in the state region, if the entry has one."""
        if self.state_offset == ABSENT or not (state := read(args + self.state_offset, "Q")[0]):
            return
        count, = read(self.info + 16, "I")
        rows, = read(self.info + 64, "Q")
        for i in range(count):
            name, type_text, _, _, _, offset = read(rows + 64 * i, "QQIIQQ")
            yield Tensor(text(name), text(type_text), state + offset, {})


def modules():
    """Yields the addresses of the objects' tables: local symbols `module`. Programs may have other symbols of that name."""
    for address in re.findall(r"^(0x[0-9a-f]+)  module\b", gdb.execute("info variables ^module", to_string=True), re.M):
        try:
            if read(int(address, 16), "QI") == (MAGIC, ABI_VERSION):
                yield int(address, 16)
        except gdb.MemoryError:
            continue


def find_entry(symbol):
    """Returns the entry with this C name, or None if no object has it or no process memory is readable."""
    for info in modules():
        count, = read(info + 12, "I")
        functions, = read(info + 72, "Q")
        for i in range(count):
            try:
                entry = Entry(info, functions + 144 * i)
                if text(entry.symbol) == symbol:
                    return entry
            except gdb.MemoryError: # addresses that are not relocated yet
                break
    return None


def entry_of(value):
    """Returns the entry whose args struct the value is, or None."""
    name = symbol_of(value)
    return find_entry(name) if name and value.address is not None else None


def symbol_of(value):
    """Returns "digits_predict" for a digits_predict_args, else an empty string."""
    name = value.type.strip_typedefs().tag or value.type.name or ""
    return name[:-len("_args")] if name.endswith("_args") else ""


class ArgsPrinter:
    def __init__(self, value, entry):
        self.value, self.entry = value, entry

    def to_string(self):
        return f"@{text(self.entry.name)}"

    def children(self):
        args = int(self.value.address)
        tensors = {tensor.name: tensor for tensor in self.entry.tensors(args)}
        for field in self.value.type.strip_typedefs().fields():
            tensor = tensors.get(field.name)
            yield field.name, tensor.summary() if tensor else self.value[field.name]


def pretty_printer(value):
    if value.type.strip_typedefs().code != gdb.TYPE_CODE_STRUCT:
        return None
    entry = entry_of(value)
    return ArgsPrinter(value, entry) if entry else None


class LathePrint(gdb.Command):
    """lathe-print ARGS [NAME]: the tensors of an args struct, or all elements of the one of that name, or of a variable."""

    def __init__(self):
        super().__init__("lathe-print", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        words = gdb.string_to_argv(argument)
        if len(words) not in (1, 2):
            raise gdb.GdbError(self.__doc__)
        value = gdb.parse_and_eval(words[0])
        value = value.dereference() if value.type.strip_typedefs().code == gdb.TYPE_CODE_PTR else value
        entry = entry_of(value)
        if not entry:
            symbol = symbol_of(value)
            raise gdb.GdbError(f"the tables of {symbol} are missing: they need a process or a core file, and the object's local symbols"
                               if symbol else f"{words[0]} is not an args struct of a graph")
        args = int(value.address)
        tensors = [*entry.tensors(args), *entry.variables(args)]
        if len(words) == 1:
            for tensor in tensors:
                print(f"{tensor.name}: {tensor.summary()}")
            return
        found = [tensor for tensor in tensors if tensor.name == words[1]]
        if not found:
            raise gdb.GdbError(f"there is no '{words[1]}'; expected one of {', '.join(tensor.name for tensor in tensors)}")
        try:
            for line in found[0].lines():
                print(line)
        except gdb.MemoryError as error:
            raise gdb.GdbError(f"{words[1]}: {error}")


gdb.pretty_printers.insert(0, pretty_printer)
LathePrint()
