"""Constants of random numbers for the graphs of tests."""
import struct


def constant(numbers, kind):
    """Returns a constant of f32 with the extents `kind`, such as 3x3x32: multiples of 1/8 from -2 to 2, which bf16 has."""
    count = 1
    for extent in kind.split("x"):
        count *= int(extent)
    data = b"".join(struct.pack("<f", numbers.randrange(-16, 17) / 8) for _ in range(count))
    return f'lathe.constant dense<"0x{data.hex().upper()}"> : tensor<{kind}xf32>'
