"""A model whose functions each call the next one four times, twelve deep."""
DEPTH, CALLS = 12, 4
print('ir_version: 8 opset_import { version: 16 } opset_import { domain: "own" version: 1 }')
for level in range(DEPTH):
    print(f'functions {{ name: "f{level}" domain: "own" input: "x" output: "v{CALLS}" opset_import {{ version: 16 }}')
    for call in range(CALLS):
        op = f'"f{level + 1}" domain: "own"' if level + 1 < DEPTH else '"Neg"'
        print(f'  node {{ op_type: {op} input: "{f"v{call}" if call else "x"}" output: "v{call + 1}" }}')
    print("}")
print("""graph {
  name: "g"
  node { op_type: "f0" domain: "own" input: "x" output: "y" }
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 4 } } } } }
  output { name: "y" }
}""")
