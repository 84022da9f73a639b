"""The determinant by expansion by minors along the first row, and its gradient, as the text of a graph: a function for each size,
which takes the terms of its sum as a batch."""

TERM = """
func.func private @term{n}(%rest: tensor<{m}x{n}xf64>, %x: tensor<f64>, %others: tensor<{m}xi32>) -> tensor<f64> {{
  %minor = lathe.gather %rest, %others axis 1 : tensor<{m}x{n}xf64>, tensor<{m}xi32>
  %d = func.call @det{m}(%minor) : (tensor<{m}x{m}xf64>) -> tensor<f64>
  %term = lathe.mul %x, %d : tensor<f64>
  return %term : tensor<f64>
}}
func.func private @det{n}(%a: tensor<{n}x{n}xf64>) -> tensor<f64> {{
  %others = lathe.constant dense<{others}> : tensor<{n}x{m}xi32>
  %signs = lathe.constant dense<{signs}> : tensor<{n}xf64>
  %top = lathe.slice %a from [0, 0] to [1, {n}] : tensor<{n}x{n}xf64>
  %row = lathe.reshape %top to [{n}] : tensor<1x{n}xf64>
  %signed = lathe.mul %row, %signs : tensor<{n}xf64>
  %rest = lathe.slice %a from [1, 0] to [{n}, {n}] : tensor<{n}x{n}xf64>
  %terms = lathe.vmap @term{n}(%rest, %signed, %others) in [none, 0, 0]
      : (tensor<{m}x{n}xf64>, tensor<{n}xf64>, tensor<{n}x{m}xi32>) -> tensor<{n}xf64>
  %d = lathe.reduce sum %terms dims [0] : tensor<{n}xf64>
  return %d : tensor<f64>
}}
"""
ENDS = """
func.func private @det1(%a: tensor<1x1xf64>) -> tensor<f64> {{
  %d = lathe.reshape %a to [] : tensor<1x1xf64>
  return %d : tensor<f64>
}}
func.func @derivative(%a: tensor<{n}x{n}xf64>) -> (tensor<{n}x{n}xf64> {{lathe.name = "by_a"}}) {{
  %d, %by_a = lathe.value_and_grad @det{n}(%a) wrt [0] : (tensor<{n}x{n}xf64>) -> (tensor<f64>, tensor<{n}x{n}xf64>)
  return %by_a : tensor<{n}x{n}xf64>
}}
"""


def text(size):
    def row_of(n):
        return [[i for i in range(n) if i != j] for j in range(n)]

    functions = [TERM.format(n=n, m=n - 1, others=row_of(n), signs=[(-1.0)**j for j in range(n)]) for n in range(2, size + 1)]
    return "".join(functions) + ENDS.format(n=size)
