"""What is timed on a GPU: graphs, their inputs, and the same computation with PyTorch, whose products are cuBLAS's and whose
convolutions are cuDNN's. Nothing here imports PyTorch: its module is given to `peer`."""
import dataclasses
import typing


@dataclasses.dataclass
class Case:
    name: str  # of its files
    what: str
    text: str  # the module, whose entry is @f
    inputs: dict  # name: (shape, element, kind); kind: "normal", or an integer, below which random integers are
    results: list  # (shape, element)
    peer: typing.Callable  # peer(torch, *tensors)
    flops: int = 0  # of a call; 0: what counts is memory
    options: tuple = ()  # of lathec
    tf32: bool = False  # what the peer may do with f32
    peer_inputs: typing.Callable = lambda torch, *tensors: tensors  # brings them into its layout before anything is timed
    tolerance: float = 1e-3  # of the largest result
    is_exact: bool = False  # integers, and what is only moved

    @property
    def bytes(self):
        """What memory must be read and written once."""
        return sum(count(shape) * BYTES[element] for shape, element, *_ in [*self.inputs.values(), *self.results])


BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "i32": 4}


def count(shape):
    product = 1
    for extent in shape:
        product *= extent
    return product


def type_of(shape, element):
    return f"tensor<{''.join(f'{extent}x' for extent in shape)}{element}>"


def function(inputs, results, body):
    """@f with these ops, whose values %r, or %r0, %r1 ..., are returned."""
    arguments = ", ".join(f"%{name}: {type_of(*spec[:2])}" for name, spec in inputs.items())
    types = ", ".join(type_of(*result) for result in results)
    values = ", ".join(f"%r{i}" for i in range(len(results))) if len(results) > 1 else "%r"
    return f"func.func @f({arguments}) -> ({types}) {{\n{body}\nreturn {values} : {types}\n}}\n"


def product(rows, columns, depth, element, turned=False, fast=False):
    """x y, or x y^T as linear layers have it."""
    left, right = (rows, depth), (columns, depth) if turned else (depth, columns)
    inputs = {"x": (left, element, "normal"), "y": (right, element, "normal")}
    result = [((rows, columns), element)]
    body = f"%r = lathe.dot_general %x, %y contract [1] x [{int(turned)}] : {type_of(left, element)}, {type_of(right, element)}"
    kind = ("tf32" if fast else "f32 as three of tf32") if element == "f32" else element
    return Case(f"product_{rows}_{columns}_{depth}_{element}{'_turned' * turned}{'_fast' * fast}",
                f"{kind} {rows} x {columns} x {depth}{', second operand transposed' * turned}", function(inputs, result, body), inputs,
                result, lambda torch, x, y: torch.matmul(x, y.T if turned else y), 2 * rows * columns * depth,
                ("--math=fast",) if fast else (), fast, tolerance={"f64": 1e-12, "f32": 2e-3 if fast else 1e-5}.get(element, 1e-2))


def linear_layer(rows, columns, depth, element):
    """relu(x w^T + b), one kernel."""
    shapes = {"x": (rows, depth), "w": (columns, depth), "b": (columns,)}
    inputs = {name: (shape, element, "normal") for name, shape in shapes.items()}
    result = [((rows, columns), element)]
    whole = type_of(*result[0])
    body = f"""%p = lathe.dot_general %x, %w contract [1] x [1] : {type_of(shapes['x'], element)}, {type_of(shapes['w'], element)}
%s = lathe.add %p, %b : {whole}, {type_of(shapes['b'], element)}
%r = lathe.std.relu %s : {whole}"""
    return Case(f"linear_{rows}_{columns}_{depth}_{element}", f"{element} relu(x w^T + b), {rows} x {columns} x {depth}",
                function(inputs, result, body), inputs, result,
                lambda torch, x, w, b: torch.relu(torch.nn.functional.linear(x, w, b)), 2 * rows * columns * depth, tolerance=1e-2)


def convolution(images, size, channels, filters, element, tf32=False):
    """3 x 3 taps, as large as the image; channels last with both."""
    image, taps = (images, size, size, channels), (3, 3, channels, filters)
    inputs = {"x": (image, element, "normal"), "w": (taps, element, "normal")}
    result = [((images, size, size, filters), element)]
    body = f"%r = lathe.conv %x, %w stride [1, 1] pad same : {type_of(image, element)}, {type_of(taps, element)}"

    def peer_inputs(torch, x, w):
        return x.movedim(-1, 1), w.permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last)

    def peer(torch, x, w):
        return torch.nn.functional.conv2d(x, w, None, 1, 1).movedim(1, -1)

    return Case(f"conv_{images}_{size}_{channels}_{filters}_{element}{'_fast' * tf32}",
                f"{'tf32' if tf32 else element} 3 x 3 over {images} x {size} x {size} x {channels} to {filters}",
                function(inputs, result, body), inputs, result, peer, 2 * images * size * size * filters * channels * 9,
                ("--math=fast",) if tf32 else (), tf32, peer_inputs, 1e-2 if element != "f32" or tf32 else 1e-4)


def elementwise(rows, columns, element):
    whole = type_of((rows, columns), element)
    inputs = {"x": ((rows, columns), element, "normal"), "y": ((rows, columns), element, "normal")}
    body = f"%p = lathe.mul %x, %y : {whole}\n%s = lathe.add %p, %x : {whole}\n%r = lathe.tanh %s : {whole}"
    result = [((rows, columns), element)]
    return Case(f"tanh_{rows}_{columns}_{element}", f"tanh(x y + x), {rows} x {columns} {element}", function(inputs, result, body), inputs,
                result, lambda torch, x, y: torch.tanh(x * y + x), tolerance=2e-2 if element != "f32" else 1e-5)


def over_rows(name, what, op, rows, columns, peer, shape=None, element="f32"):
    """One op, or one of the library, over x: rows x columns."""
    inputs = {"x": ((rows, columns), element, "normal")}
    result = [(shape or (rows, columns), element)]
    body = f"%r = lathe.{op} : {type_of((rows, columns), element)}"
    return Case(f"{name}_{rows}_{columns}_{element}", f"{what}, {rows} x {columns} {element}", function(inputs, result, body), inputs,
                result, peer, tolerance=1e-2 if element != "f32" else 1e-4, is_exact=name == "transpose")


def layer_norm(rows, columns):
    shapes = {"x": (rows, columns), "scale": (columns,), "offset": (columns,)}
    inputs = {name: (shape, "f32", "normal") for name, shape in shapes.items()}
    types = ", ".join(type_of(shape, "f32") for shape in shapes.values())
    body = f"%r = lathe.std.layer_norm %x scale %scale bias %offset : {types}"
    return Case(f"layer_norm_{rows}_{columns}", f"layer norm, {rows} x {columns} f32",
                function(inputs, [((rows, columns), "f32")], body), inputs, [((rows, columns), "f32")],
                lambda torch, x, scale, offset: torch.layer_norm(x, (columns,), scale, offset, 1e-5))


def adam(size):
    """A step of one large parameter: four arrays are read, three written."""
    whole = type_of((size,), "f32")
    inputs = {name: ((size,), "f32", "normal") for name in "pgmv"}
    body = "".join(f"%{name} = lathe.constant dense<{value}> : tensor<f32>\n" for name, value in
                   {"b1": "0.9", "c1": "0.1", "b2": "0.999", "c2": "0.001", "e": "1.0e-8", "rate": "0.001"}.items())

    def scaled(result, value, factor):
        return f"%{result} = lathe.mul %{value}, %{factor} : {whole}, tensor<f32>\n"

    body += scaled("ma", "m", "b1") + scaled("mb", "g", "c1") + f"%r1 = lathe.add %ma, %mb : {whole}\n"
    body += f"%gg = lathe.mul %g, %g : {whole}\n%vv = lathe.abs %v : {whole}\n"
    body += scaled("va", "vv", "b2") + scaled("vb", "gg", "c2") + f"%r2 = lathe.add %va, %vb : {whole}\n"
    body += f"%root = lathe.sqrt %r2 : {whole}\n%safe = lathe.add %root, %e : {whole}, tensor<f32>\n"
    body += f"%way = lathe.div %r1, %safe : {whole}\n" + scaled("step", "way", "rate") + f"%r0 = lathe.sub %p, %step : {whole}"

    def peer(torch, p, g, m, v):
        m = m * 0.9 + g * 0.1
        v = v.abs() * 0.999 + g * g * 0.001
        return p - m / (v.sqrt() + 1e-8) * 0.001, m, v

    return Case(f"adam_{size}", f"step of Adam, {size} f32", function(inputs, [((size,), "f32")] * 3, body), inputs,
                [((size,), "f32")] * 3, peer)


def gather(table, rows, columns):
    inputs = {"x": ((table, columns), "f32", "normal"), "i": ((rows,), "i32", table)}
    body = f"%r = lathe.gather %x, %i axis 0 : {type_of((table, columns), 'f32')}, {type_of((rows,), 'i32')}"
    return Case(f"gather_{table}_{rows}_{columns}", f"{rows} of {table} rows of {columns} f32",
                function(inputs, [((rows, columns), "f32")], body), inputs, [((rows, columns), "f32")],
                lambda torch, x, i: x[i.long()], is_exact=True)


def scatter(table, rows, columns):
    inputs = {"x": ((table, columns), "f32", "normal"), "i": ((rows,), "i32", table), "u": ((rows, columns), "f32", "normal")}
    types = ", ".join(type_of(*spec[:2]) for spec in inputs.values())
    return Case(f"scatter_{table}_{rows}_{columns}", f"{rows} rows of {columns} f32 added to {table}",
                function(inputs, [((table, columns), "f32")], f"%r = lathe.scatter add %x, %i, %u axis 0 : {types}"), inputs,
                [((table, columns), "f32")], lambda torch, x, i, u: x.index_add(0, i.long(), u))


def fast(case):
    """The same with --math=fast: approximations where a peer has them by default."""
    return dataclasses.replace(case, name=f"{case.name}_fast", what=f"{case.what}, --math=fast", options=("--math=fast",))


def memory_cases(rows, columns):
    softmax = [over_rows("softmax", "softmax", "std.softmax %x", rows, columns, lambda torch, x: torch.softmax(x, 1), element=element)
               for element in ("f32", "bf16")]
    tanh = [elementwise(rows, columns, element) for element in ("f32", "bf16")]
    return [
        *tanh, fast(tanh[0]), adam(rows * columns), *softmax, *map(fast, softmax),
        layer_norm(rows, columns),
        over_rows("rowsum", "sums of rows", "reduce sum %x dims [1]", rows, columns, lambda torch, x: x.sum(1), (rows,)),
        over_rows("columnsum", "sums of columns", "reduce sum %x dims [0]", rows, columns, lambda torch, x: x.sum(0), (columns,)),
        over_rows("transpose", "transposition", "transpose %x [1, 0]", rows, columns, lambda torch, x: x.T.contiguous(), (columns, rows)),
        over_rows("cumsum", "running sums of rows", "cumulative sum %x dim 1", rows, columns, lambda torch, x: x.cumsum(1)),
        gather(rows, rows * 2, columns // 2), scatter(rows, rows * 2, columns // 8),
    ]


# Large enough that no cache holds them.
FULL = [
    *[product(size, size, size, element) for element in ("bf16", "f16") for size in (2048, 4096, 8192)],
    product(4096, 4096, 4096, "bf16", turned=True), product(8192, 8192, 8192, "bf16", turned=True),
    linear_layer(8192, 4096, 1024, "bf16"),
    *[product(size, size, size, "f32", fast=fast) for fast in (True, False) for size in (2048, 4096, 8192)],
    product(4096, 4096, 4096, "f32", turned=True, fast=True), product(4096, 4096, 4096, "f64"),
    convolution(64, 56, 64, 64, "bf16"), convolution(64, 28, 128, 128, "bf16"), convolution(64, 28, 128, 128, "f32", tf32=True),
    convolution(64, 28, 128, 128, "f32"),
    *memory_cases(32768, 4096),
]

# The same graphs, for a run on the stand-in for a driver: what is compared there is their results.
SMALL = [
    product(64, 32, 48, "bf16"), product(40, 24, 32, "bf16", turned=True), linear_layer(24, 40, 16, "bf16"),
    product(32, 32, 32, "f32"), product(32, 32, 32, "f32", fast=True), product(16, 16, 16, "f64"),
    convolution(1, 6, 4, 8, "bf16"), convolution(1, 6, 4, 8, "f32"), *memory_cases(24, 40),
]
