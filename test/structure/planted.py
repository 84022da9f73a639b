"""Plants one fault at a time in a small tree and sees that structure.py notices it, and that a sound tree passes."""
import os
import tempfile

import structure

MACHINE = "/ho" + "me/ada/lathe"
LONG_FUNCTION = "int f(int x) {\n" + "  x += '{';\n" * 90 + "  return x;\n}\n"

SOUND = {
    "passes/Fusion/Fuse.cpp": '#include "dialects/Lathe/IR/Lathe.h"\n#include "passes/Fusion/Fuse.h"\n#include "mlir/IR/Block.h"\n',
    "codegen/Emit/Entry.cpp": '#include "dialects/Lathe/IR/PlanAttributes.h"\n#include "llvm/Target/TargetMachine.h"\n',
    "lib/Compiler/Compile.cpp": '#include "codegen/Emit/Entry.h"\n#include "lib/Import/Import.h"\n',
    "lib/Import/Check.cpp": '#include "passes/InferDims/InferDims.h"\n#include "dialects/Lathe/IR/Lathe.h"\n',
    "runtime/pool.c": '#include "internal.h"\n#include "lathe/runtime.h"\n#include <linux/futex.h>\n',
    "tools/lathec/main.cpp": '#include <CLI/CLI.hpp>\n#include "lathe/Compiler.h"\n',
    "include/lathe/Compiler.h": '#include "lathe/CompileOptions.h"\n#include <string>\n',
    "lib/Support/Text.cpp": "namespace lathe {\n" + "int f() {\n  return 1;\n}\n" * 60 + "} // namespace lathe\n",
}
FAULTS = {
    "dialects/Lathe/IR/Ops.cpp": '#include "passes/Fusion/Fuse.h"\n',
    "dialects/Lathe/IR/Ops.td": 'include "passes/Fusion/Fuse.td"\n',
    "passes/Plan/Plan.cpp": '#include "passes/Fusion/Fuse.h"\n',
    "passes/Plan/Order.cpp": '#include "codegen/Emit/Entry.h"\n',
    "codegen/Emit/Header.cpp": '#include "lib/Compiler/Stages.h"\n',
    "codegen/Emit/Versions.cpp": '#include "passes/Plan/Plan.h"\n',
    "codegen/Emit/Graph.cpp": '#include "lib/Import/Import.h"\n',
    "passes/State/State.cpp": '#include "lib/Import/Import.h"\n',
    "lib/Import/Emit.cpp": '#include "codegen/Emit/Entry.h"\n',
    "lib/Import/Names.cpp": '#include "lib/Compiler/Stages.h"\n',
    "lib/Support/Style.cpp": '#include "lib/Import/Import.h"\n',
    "lib/Compiler/Options.cpp": '#include "tools/lathec/Options.h"\n',
    "lib/Compiler/Line.cpp": "#include <CLI/CLI.hpp>\n",
    "lib/Compiler/Target.cpp": '#include "llvm/Target/TargetMachine.h"\n',
    "runtime/npy.c": '#include "lib/Support/Text.h"\n',
    "runtime/error.c": '#include "llvm/ADT/StringRef.h"\n',
    "include/lathe/InitAll.h": '#include "mlir/IR/Dialect.h"\n',
    "codegen/CPU/Row.cpp": '#include "codegen/GPU/Target.h"\n',
    "codegen/Points/Point.cpp": '#include "codegen/CPU/Target.h"\n',
    "codegen/CPU/Long.cpp": "int x;\n" * 501,
    "codegen/CPU/Function.cpp": "namespace lathe {\n" + LONG_FUNCTION + "}\n",
    "codegen/CPU/Method.cpp": "struct S {\n" + LONG_FUNCTION + "};\n",
    "docs/build.md": f"Run `{MACHINE}/build`.\n",
}


def faults(files):
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        return structure.check(root)


assert not faults(SOUND), faults(SOUND)
for path, text in FAULTS.items():
    found = faults({**SOUND, path: text})
    assert len(found) == 1 and found[0].startswith(path + ":"), f"{path}: {found}"
print(f"structure-notices: {len(FAULTS)} planted faults found")
