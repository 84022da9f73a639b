"""Models in the text form of Protocol Buffers, encoded by protoc."""
import os
import subprocess


def encode(text):
    """Returns the bytes of an onnx.ModelProto. LATHE_ONNX_SCHEMA is the folder of onnx.proto."""
    command = ["protoc", "--proto_path=" + os.environ["LATHE_ONNX_SCHEMA"], "--encode=onnx.ModelProto", "onnx.proto"]
    return subprocess.run(command, input=text.encode(), capture_output=True, check=True).stdout


def tensor(name, kind, *dims):
    """Returns the text of a value of element type `kind`, as ONNX numbers them, with numbers and names as dimensions."""
    def dim(size):
        return f'dim {{ dim_param: "{size}" }}' if isinstance(size, str) else f"dim {{ dim_value: {size} }}"

    return f'name: "{name}" type {{ tensor_type {{ elem_type: {kind} shape {{ {" ".join(map(dim, dims))} }} }} }}'


def model(*parts):
    return encode('ir_version: 8 opset_import { version: 17 } graph { name: "g" ' + " ".join(parts) + "}")


def nonzero():
    """x: f32[2][2] -> the indices of its elements that are not 0."""
    return model('node { op_type: "NonZero" input: "x" output: "i" }', f"input {{ {tensor('x', 1, 2, 2)} }}", 'output { name: "i" }')


def linear():
    """x: f32[n][2] -> x times the initializer `w`, the column (2, 3)."""
    return model(
        'initializer { name: "w" dims: 2 dims: 1 data_type: 1 float_data: [2, 3] }',
        'node { op_type: "MatMul" input: "x" input: "w" output: "y" }',
        f"input {{ {tensor('x', 1, 'n', 2)} }}",
        'output { name: "y" }',
    )


def reshape():
    """x: f32[4], s: i64[2] -> x reshaped to s, which has to be a constant."""
    return model(
        'node { op_type: "Reshape" input: "x" input: "s" output: "y" }',
        f"input {{ {tensor('x', 1, 4)} }}",
        f"input {{ {tensor('s', 7, 2)} }}",
        'output { name: "y" }',
    )
