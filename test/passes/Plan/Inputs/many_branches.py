"""many_branches.py COUNT: a graph of so many branches, each of what the one before gives."""
import sys

count = int(sys.argv[1])
print("func.func @f(%p: tensor<i1>, %x0: tensor<8xf32>) -> tensor<8xf32> {")
for i in range(count):
    print(f"  %x{i + 1} = lathe.if %p -> tensor<8xf32> {{")
    for op, end in ("sin", "} else {"), ("cos", "}"):
        print(f"    %a = lathe.{op} %x{i} : tensor<8xf32>\n    lathe.yield %a : tensor<8xf32>\n  {end}")
print(f"  return %x{count} : tensor<8xf32>\n}}")
