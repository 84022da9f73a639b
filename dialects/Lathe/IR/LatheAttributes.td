// Attributes: named dimensions, shapes, kinds, initialisers, optimisers.
#ifndef LATHE_ATTRIBUTES_TD
#define LATHE_ATTRIBUTES_TD

include "dialects/Lathe/IR/LatheDialect.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/TensorEncoding.td"

class Lathe_Attr<string name, string mnemonicText, list<Trait> traits = []> : AttrDef<Lathe_Dialect, name, traits> {
  let mnemonic = mnemonicText;
}

def Lathe_DimAttr : Lathe_Attr<"Dim", "dim"> {
  let summary = "A dimension: a polynomial with integer coefficients over named dimensions";
  let description = [{
    `2 * N + M * N + 3`, or a number if it is static. It is in normal form: terms are sorted by their names, equal ones are joined,
    and none is zero. `monomials[i]` lists the names of term i, sorted, with repetition for powers; the constant term has no names
    and comes last.

    A name may be a formula of other dimensions: `ceil_div(N, 16)`, `floor_div(N, 16)`, `ceil_sqrt(N)`, `max`, `min`, and
    `broadcast(M, N)`, which is N if M is 1, else M. Multiples of the divisor are moved out of a quotient:
    `ceil_div(16 * N + M, 16)` is `N + ceil_div(M, 16)`.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$coefficients, ArrayRefParameter<"::mlir::ArrayAttr">:$monomials);
  let hasCustomAssemblyFormat = 1;
}

def Lathe_DimsAttr : Lathe_Attr<"Dims", "dims", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding, ["verifyEncoding"]>]> {
  let summary = "The names of a tensor type's dynamic dimensions, in order";
  let description = [{
    The encoding of a ranked tensor type with dynamic dimensions: `tensor<?x16xf32, #lathe.dims<N>>` has N rows. It has one
    expression for each `?`; static types have no encoding. As an argument attribute `lathe.dims` it names the `?` of an entry's
    argument.
  }];
  let parameters = (ins ArrayRefParameter<"::lathe::DimAttr">:$dims);
  let hasCustomAssemblyFormat = 1;
}

def Lathe_ShapeAttr : Lathe_Attr<"Shape", "shape"> {
  let summary = "A list of dimensions, static or named: `[N, 16]`";
  let parameters = (ins ArrayRefParameter<"::lathe::DimAttr">:$dims);
  let hasCustomAssemblyFormat = 1;
}

class Lathe_Kind<string name, string text, list<I32EnumAttrCase> cases> : I32EnumAttr<name, text, cases> {
  let cppNamespace = "::lathe";
  let genSpecializedAttr = 0;
}
class Lathe_KindAttr<I32EnumAttr kind, string mnemonicText> : EnumAttr<Lathe_Dialect, kind, mnemonicText> {
  let assemblyFormat = "$value";
}

def Lathe_ReduceKind : Lathe_Kind<"ReduceKind", "how a reduction combines two values", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Product", 1, "product">,
    I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">, I32EnumAttrCase<"And", 4, "and">,
    I32EnumAttrCase<"Or", 5, "or">, I32EnumAttrCase<"Xor", 6, "xor">]>;
def Lathe_ReduceKindAttr : Lathe_KindAttr<Lathe_ReduceKind, "reduce_kind">;

def Lathe_CollectiveKind : Lathe_Kind<"CollectiveKind", "how a collective combines the values of the ranks", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Mean", 1, "mean">, I32EnumAttrCase<"Max", 2, "max">,
    I32EnumAttrCase<"Min", 3, "min">]>;
def Lathe_CollectiveKindAttr : Lathe_KindAttr<Lathe_CollectiveKind, "collective_kind">;

def Lathe_ScatterKind : Lathe_Kind<"ScatterKind", "how a scatter combines an update with an element", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Set", 1, "set">, I32EnumAttrCase<"Mul", 2, "mul">,
    I32EnumAttrCase<"Max", 3, "max">, I32EnumAttrCase<"Min", 4, "min">]>;
def Lathe_ScatterKindAttr : Lathe_KindAttr<Lathe_ScatterKind, "scatter_kind">;

def Lathe_CumulativeKind : Lathe_Kind<"CumulativeKind", "how a cumulative op combines elements", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Product", 1, "product">, I32EnumAttrCase<"Max", 2, "max">,
    I32EnumAttrCase<"Min", 3, "min">, I32EnumAttrCase<"LogSumExp", 4, "logsumexp">]>;
def Lathe_CumulativeKindAttr : Lathe_KindAttr<Lathe_CumulativeKind, "cumulative_kind">;

def Lathe_WindowAttr : Lathe_Attr<"Window", "window"> {
  let summary = "A window that slides along all dimensions: each list has one entry for each dimension";
  let parameters = (ins "::mlir::DenseI64ArrayAttr":$size, "::mlir::DenseI64ArrayAttr":$stride,
                        "::mlir::DenseI64ArrayAttr":$dilation, "::mlir::DenseI64ArrayAttr":$base_dilation,
                        "::mlir::DenseI64ArrayAttr":$low, "::mlir::DenseI64ArrayAttr":$high);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Lathe_CompareKind : Lathe_Kind<"CompareKind", "an ordered comparison; with a NaN all but ne are false", [
    I32EnumAttrCase<"EQ", 0, "eq">, I32EnumAttrCase<"NE", 1, "ne">, I32EnumAttrCase<"LT", 2, "lt">,
    I32EnumAttrCase<"LE", 3, "le">, I32EnumAttrCase<"GT", 4, "gt">, I32EnumAttrCase<"GE", 5, "ge">]>;
def Lathe_CompareKindAttr : Lathe_KindAttr<Lathe_CompareKind, "compare_kind">;

def Lathe_BufferKind : Lathe_Kind<"BufferKind", "where a kernel's result is stored", [
    I32EnumAttrCase<"Arena", 0, "arena">, I32EnumAttrCase<"Result", 1, "result">, I32EnumAttrCase<"Yield", 2, "yield">,
    I32EnumAttrCase<"Cold", 3, "cold">]>;
def Lathe_BufferAttr : Lathe_Attr<"Buffer", "buffer"> {
  let summary = "The memory that the plan assigns to a value: an offset in the workspace, a result of the entry, or one of the op around it";
  let description = [{
    `#lathe.buffer<arena at #lathe.dim<1024 * N + 64>>` is a byte offset into the workspace. `#lathe.buffer<result 2 at ...>` is the
    entry's result 2, an output or the variable that it updates. `#lathe.buffer<yield 1 at ...>`, in a region, is the buffer in
    which the op around it expects the region's second yielded value. `#lathe.buffer<cold 0 at ...>` is a byte offset into the cold
    workspace, which holds values that are not read for long.
  }];
  let parameters = (ins EnumParameter<Lathe_BufferKind>:$kind, "int64_t":$index, "::lathe::DimAttr":$offset);
  let assemblyFormat = "`<` $kind $index `at` $offset `>`";
}

def Lathe_ScheduleAttr : Lathe_Attr<"Schedule", "schedule"> {
  let summary = "How one target computes a kernel: a form of code, and that form's parameters";
  let description = [{
    `#lathe.schedule<"x86-64-v3" contraction {block_depth = 128, lanes = 8, rows = 6, vectors = 2}>`. The target's pass of the
    schedule stage chooses it, and the emitter of the form follows it. Parameters are integers, booleans, words, and lists of
    integers. docs/schedules.md lists the parameters of each form and their values; the form verifies them.

    Constraints: (C1) the target and the form are not empty; (C2) each parameter is of one of these kinds.
  }];
  let parameters = (ins StringRefParameter<"the target's name">:$target, StringRefParameter<"the form's name">:$form,
                        "::mlir::DictionaryAttr":$parameters);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}
def Lathe_SchedulesAttr : TypedArrayAttrBase<Lathe_ScheduleAttr, "a schedule for each target">;

// Initialisers of variables. fan_in is the product of all extents but the last; fan_out is the last extent times the product of all
// but the last two. This fits dense weights [in, out] and convolution filters [spatial..., in, out].
def Lathe_ZerosAttr : Lathe_Attr<"Zeros", "zeros"> { let summary = "All zero"; }
def Lathe_FillAttr : Lathe_Attr<"Fill", "fill"> {
  let summary = "One value everywhere";
  let parameters = (ins "::lathe::Real":$value);
  let assemblyFormat = "`<` $value `>`";
}
def Lathe_NormalAttr : Lathe_Attr<"Normal", "normal"> {
  let summary = "Normal numbers of the given mean and standard deviation";
  let parameters = (ins "::lathe::Real":$mean, "::lathe::Real":$stddev);
  let assemblyFormat = "`<` $mean `,` $stddev `>`";
}
def Lathe_UniformAttr : Lathe_Attr<"Uniform", "uniform"> {
  let summary = "Uniform numbers in [low, high)";
  let parameters = (ins "::lathe::Real":$low, "::lathe::Real":$high);
  let assemblyFormat = "`<` $low `,` $high `>`";
}
def Lathe_HeNormalAttr : Lathe_Attr<"HeNormal", "he_normal"> {
  let summary = "Normal with standard deviation sqrt(2 / fan_in) (He et al. 2015)";
}
def Lathe_GlorotUniformAttr : Lathe_Attr<"GlorotUniform", "glorot_uniform"> {
  let summary = "Uniform in ±sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010)";
}

def Lathe_OptimizerAttr : Lathe_Attr<"Optimizer", "optimizer"> {
  let summary = "An optimiser of the composite library, with its options and those of lathe.minimize, such as `adam<beta1 = 0.8>`";
  let parameters = (ins "::mlir::StringAttr":$name, "::mlir::DictionaryAttr":$options);
  let assemblyFormat = "`<` $name `,` $options `>`";
  let extraClassDeclaration = [{
    /// Returns the value of an option, or `otherwise` if it is not given.
    double getReal(::llvm::StringRef option, double otherwise) const;
  }];
}

#endif
