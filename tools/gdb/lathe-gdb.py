"""Tensors in gdb: `source lathe-gdb.py`.

A graph's args struct then prints with its tensors, each with its shape, its least, largest and mean element and its first ones;
`lathe-print ARGS NAME` prints all elements of one of them, or of a variable in its state region. Shapes come from the object's own
tables (PREFIX_info, docs/runtime-abi.md), which needs a running process.
"""
import re
import struct

import gdb

MAGIC, ABI_VERSION, ABSENT = 0x3145485441, 2, 0xFFFFFFFF
SHOWN = 16
ELEMENTS = {"i1": "?", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "u8": "B", "u16": "H", "u32": "I", "u64": "Q", "f16": "e",
            "bf16": "H", "f32": "f", "f64": "d"}


def read(address, layout):
    """Fields at an address, as struct.unpack names them."""
    return struct.unpack("<" + layout, gdb.selected_inferior().read_memory(address, struct.calcsize("<" + layout)).tobytes())


def text(address):
    return gdb.Value(address).cast(gdb.lookup_type("char").pointer()).string()


class Tensor:
    """Row-major elements at an address, of a type like f32[N][16]."""

    def __init__(self, name, type_text, address, sizes):
        self.name, self.address = name, address
        self.element, *extents = re.findall(r"^\w+|(?<=\[)[^\]]*", type_text)
        self.shape = [eval(extent, {"__builtins__": {}}, dict(sizes)) for extent in extents]  # polynomials of sizes
        self.count = 1
        for extent in self.shape:
            self.count *= extent

    def elements(self):
        code = ELEMENTS[self.element]
        numbers = read(self.address, f"{self.count}{code}") if self.count else ()
        if self.element == "bf16":
            return struct.unpack(f"<{self.count}f", struct.pack(f"<{self.count}I", *(n << 16 for n in numbers)))
        return numbers

    def spell(self, number):
        if self.element[0] in "iu":
            return str(number).lower()
        digits = {"f32": 9, "f64": 17}.get(self.element, 5)
        short = [f"{number:.{n}g}" for n in range(1, digits + 1)]
        same = (lambda a: struct.pack("<f", float(a)) == struct.pack("<f", number)) if self.element == "f32" else (
            lambda a: float(a) == number)
        return next((each for each in short if same(each)), short[-1])

    def summary(self):
        head = self.element + "".join(f"[{extent}]" for extent in self.shape)
        if self.address == 0 or not self.count:
            return f"{head} {'NULL' if self.count else 'empty'}"
        try:
            numbers = self.elements()
        except gdb.MemoryError:
            return f"{head} at {self.address:#x}, which cannot be read"
        if not self.shape:
            return f"{head} {self.spell(numbers[0])}"
        real = [n for n in numbers if n == n]
        low, high = (min(real), max(real)) if len(real) == len(numbers) else (float("nan"),) * 2
        first = " ".join(self.spell(n) for n in numbers[:SHOWN])
        return (f"{head} min {self.spell(low)} max {self.spell(high)} mean {sum(numbers) / self.count:.6g}: {first}"
                + (" ..." if self.count > SHOWN else ""))

    def lines(self):
        """All elements, a row a line with its place in front."""
        numbers, width = self.elements(), self.shape[-1] if self.shape else 1
        for row in range(self.count // width if width else 0):
            place, rest = [], row
            for extent in reversed(self.shape[:-1]):
                place.insert(0, rest % extent)
                rest //= extent
            yield (f"[{']['.join(map(str, place))}] " if place else "") + " ".join(
                self.spell(n) for n in numbers[row * width:(row + 1) * width])


class Entry:
    """One function of an object, by its tables."""

    def __init__(self, info, row):
        self.info = info
        (self.name, self.symbol, self.dimension_count, self.argument_count, _, _, self.dimensions, self.arguments, _, _, _,
         self.state_offset) = read(row, "QQIIIIQQQQII")

    def sizes(self, args):
        rows = (read(self.dimensions + 40 * i, "QqqqI") for i in range(self.dimension_count))
        return {text(name): read(args + offset, "q")[0] for name, _, _, _, offset in rows}

    def tensors(self, args):
        sizes = self.sizes(args)
        for i in range(self.argument_count):
            name, type_text, _, _, _, offset = read(self.arguments + 40 * i, "QQIIII")
            yield Tensor(text(name), text(type_text), read(args + offset, "Q")[0], sizes)

    def variables(self, args):
        """Of the state region, if the entry has it."""
        if self.state_offset == ABSENT or not (state := read(args + self.state_offset, "Q")[0]):
            return
        count, = read(self.info + 16, "I")
        rows, = read(self.info + 56, "Q")
        for i in range(count):
            name, type_text, _, _, _, offset = read(rows + 56 * i, "QQIIQQ")
            yield Tensor(text(name), text(type_text), state + offset, {})


def find_entry(symbol):
    """The entry of that C name; None where there is no such object, or no process to ask."""
    for end in (match.start() for match in re.finditer("_", symbol)):
        if not gdb.lookup_global_symbol(symbol[:end] + "_info"):
            continue
        try:
            info = int(gdb.parse_and_eval(f"(unsigned long)((void *(*)(void)){symbol[:end]}_info)()"))
        except gdb.error:
            continue
        magic, version, count = read(info, "QII")
        if (magic, version) != (MAGIC, ABI_VERSION):
            continue
        functions, = read(info + 64, "Q")
        for i in range(count):
            entry = Entry(info, functions + 112 * i)
            if text(entry.symbol) == symbol:
                return entry
    return None


def entry_of(value):
    """The entry whose args struct a value is."""
    name = value.type.strip_typedefs().tag or value.type.name or ""
    return find_entry(name[:-len("_args")]) if name.endswith("_args") and value.address is not None else None


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
            raise gdb.GdbError(f"{words[0]} is no args struct of a graph in a running process")
        args = int(value.address)
        tensors = [*entry.tensors(args), *entry.variables(args)]
        if len(words) == 1:
            for tensor in tensors:
                print(f"{tensor.name}: {tensor.summary()}")
            return
        found = [tensor for tensor in tensors if tensor.name == words[1]]
        if not found:
            raise gdb.GdbError(f"there is no '{words[1]}'; there are {', '.join(tensor.name for tensor in tensors)}")
        print("\n".join(found[0].lines()))


gdb.pretty_printers.insert(0, pretty_printer)
LathePrint()
