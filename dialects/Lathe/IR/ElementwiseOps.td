// Elementwise ops: one result element from one element of each operand.
//
// Operands broadcast as in NumPy: aligned at the last dimension, a missing or statically 1 dimension stretches, a named one
// never does. The import stage makes every broadcast an explicit lathe.broadcast; all later passes see equal shapes.
#ifndef LATHE_ELEMENTWISE_OPS_TD
#define LATHE_ELEMENTWISE_OPS_TD

include "dialects/Lathe/IR/LatheAttributes.td"

def Lathe_ElementwiseTrait : NativeOpTrait<"ElementwiseTrait"> { let cppNamespace = "::lathe"; }

class Lathe_ElementwiseOp<string mnemonic, list<Trait> traits = []>
    : Lathe_ValueOp<mnemonic, !listconcat([Lathe_ElementwiseTrait], traits)>;

class Lathe_UnaryOp<string mnemonic, Type type, string meaning, string note = "", list<Trait> traits = []>
    : Lathe_ElementwiseOp<mnemonic, traits> {
  let summary = meaning;
  let description = meaning # ". " # note;
  let arguments = (ins type:$operand);
  let results = (outs type:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
  let extraClassDefinition = [{
    ::mlir::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *, std::optional<::mlir::Location>, Adaptor adaptor,
                                                      ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      types.push_back(adaptor.getOperand().getType());
      return ::mlir::success();
    }
  }];
}

def Lathe_NegOp : Lathe_UnaryOp<"neg", Lathe_NumberTensor, "-x"> { let hasFolder = 1; }
def Lathe_AbsOp : Lathe_UnaryOp<"abs", Lathe_NumberTensor, "The absolute value", "Its derivative at 0 is 0."> ;
def Lathe_SignOp : Lathe_UnaryOp<"sign", Lathe_NumberTensor, "-1, 0 or 1", "A NaN stays NaN, a zero keeps its sign.">;
def Lathe_ExpOp : Lathe_UnaryOp<"exp", Lathe_FloatTensor, "e to the power x">;
def Lathe_Expm1Op : Lathe_UnaryOp<"expm1", Lathe_FloatTensor, "exp(x) - 1, exact near 0">;
def Lathe_LogOp : Lathe_UnaryOp<"log", Lathe_FloatTensor, "The natural logarithm", "-inf at 0, NaN below.">;
def Lathe_Log1pOp : Lathe_UnaryOp<"log1p", Lathe_FloatTensor, "log(1 + x), exact near 0">;
def Lathe_SqrtOp : Lathe_UnaryOp<"sqrt", Lathe_FloatTensor, "The square root", "NaN below 0.">;
def Lathe_RsqrtOp : Lathe_UnaryOp<"rsqrt", Lathe_FloatTensor, "1 / sqrt(x)">;
def Lathe_SinOp : Lathe_UnaryOp<"sin", Lathe_FloatTensor, "The sine of x radians">;
def Lathe_CosOp : Lathe_UnaryOp<"cos", Lathe_FloatTensor, "The cosine of x radians">;
def Lathe_TanhOp : Lathe_UnaryOp<"tanh", Lathe_FloatTensor, "The hyperbolic tangent">;
def Lathe_LogisticOp : Lathe_UnaryOp<"logistic", Lathe_FloatTensor, "1 / (1 + exp(-x))">;
def Lathe_ErfOp : Lathe_UnaryOp<"erf", Lathe_FloatTensor, "The error function">;
def Lathe_FloorOp : Lathe_UnaryOp<"floor", Lathe_FloatTensor, "The largest integer not above x">;
def Lathe_CeilOp : Lathe_UnaryOp<"ceil", Lathe_FloatTensor, "The smallest integer not below x">;
def Lathe_RoundOp : Lathe_UnaryOp<"round", Lathe_FloatTensor, "The nearest integer, ties to even">;
def Lathe_NotOp : Lathe_UnaryOp<"not", Lathe_IntTensor, "Every bit inverted; logical not of an i1">;
def Lathe_StopGradientOp : Lathe_UnaryOp<"stop_gradient", Lathe_Tensor, "x, as a constant to every derivative",
    "In a transposed program it is the identity.", [Lathe_MovesElementsTrait]>;

class Lathe_BinaryOp<string mnemonic, Type type, string meaning, list<Trait> traits = []>
    : Lathe_ElementwiseOp<mnemonic, traits> {
  let summary = meaning;
  let description = meaning # [{.

    Constraints: (C1) both operands have one element type; (C2) their shapes broadcast.}];
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` custom<Types>(type($lhs), type($rhs))";
  let extraClassDefinition = [{
    ::mlir::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *, std::optional<::mlir::Location> location, Adaptor adaptor,
                                                      ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::lathe::inferBinary(location, getOperationName(), adaptor.getLhs(), adaptor.getRhs(), types);
    }
  }];
}

def Lathe_AddOp : Lathe_BinaryOp<"add", Lathe_NumberTensor, "lhs + rhs; integers wrap", [Commutative]> { let hasFolder = 1; }
def Lathe_SubOp : Lathe_BinaryOp<"sub", Lathe_NumberTensor, "lhs - rhs; integers wrap"> { let hasFolder = 1; }
def Lathe_MulOp : Lathe_BinaryOp<"mul", Lathe_NumberTensor, "lhs * rhs; integers wrap", [Commutative]> { let hasFolder = 1; }
def Lathe_DivOp : Lathe_BinaryOp<"div", Lathe_NumberTensor,
    "lhs / rhs; integers truncate towards zero, x / 0 has all bits set (-1) and the smallest integer / -1 is itself"> { let hasFolder = 1; }
def Lathe_RemOp : Lathe_BinaryOp<"rem", Lathe_NumberTensor,
    "lhs - trunc(lhs / rhs) * rhs, with the sign of lhs; an integer x rem 0 is x">;
def Lathe_PowOp : Lathe_BinaryOp<"pow", Lathe_FloatTensor, "lhs to the power rhs, as C's pow">;
def Lathe_MaxOp : Lathe_BinaryOp<"max", Lathe_NumberTensor,
    "The larger one; NaN if either is; a tie gives each side half of the cotangent", [Commutative]>;
def Lathe_MinOp : Lathe_BinaryOp<"min", Lathe_NumberTensor,
    "The smaller one; NaN if either is; a tie gives each side half of the cotangent", [Commutative]>;
def Lathe_AndOp : Lathe_BinaryOp<"and", Lathe_IntTensor, "Bitwise and; logical and of i1", [Commutative]>;
def Lathe_OrOp : Lathe_BinaryOp<"or", Lathe_IntTensor, "Bitwise or; logical or of i1", [Commutative]>;
def Lathe_XorOp : Lathe_BinaryOp<"xor", Lathe_IntTensor, "Bitwise exclusive or", [Commutative]>;
def Lathe_ShiftLeftOp : Lathe_BinaryOp<"shift_left", Lathe_IntegerTensor,
    "lhs * 2^rhs, bits lost at the top; 0 for an amount below 0 or not below the width">;
def Lathe_ShiftRightOp : Lathe_BinaryOp<"shift_right", Lathe_IntegerTensor,
    "The bits of lhs moved down by rhs, zeros from the top; 0 for an amount below 0 or not below the width">;

def Lathe_CompareOp : Lathe_ElementwiseOp<"compare"> {
  let summary = "lhs compared with rhs, as i1";
  let description = [{
    Integers compare as what they are, signed or unsigned; false is below true. `lathe.compare gt %x, %zero : tensor<4xf32>, tensor<f32>`.

    Constraints: (C1) both operands have one element type; (C2) their shapes broadcast.
  }];
  let arguments = (ins Lathe_CompareKindAttr:$kind, Lathe_Tensor:$lhs, Lathe_Tensor:$rhs);
  let results = (outs Lathe_BoolTensor:$result);
  let assemblyFormat = "$kind $lhs `,` $rhs attr-dict `:` custom<Types>(type($lhs), type($rhs))";
}

def Lathe_SelectOp : Lathe_ElementwiseOp<"select", [Lathe_MovesElementsTrait]> {
  let summary = "on_true where the predicate holds, else on_false";
  let description = [{
    Constraints: (C1) on_true and on_false have one element type; (C2) the three shapes broadcast.
  }];
  let arguments = (ins Lathe_BoolTensor:$predicate, Lathe_Tensor:$on_true, Lathe_Tensor:$on_false);
  let results = (outs Lathe_Tensor:$result);
  let assemblyFormat = [{
    $predicate `,` $on_true `,` $on_false attr-dict `:` type($predicate) `,` custom<Types>(type($on_true), type($on_false))
  }];
  let hasFolder = 1;
}

def Lathe_ConvertOp : Lathe_ElementwiseOp<"convert"> {
  let summary = "The same numbers in another element type";
  let description = [{
    A float becomes the nearest float (ties to even), or the integer nearest towards zero, the ends of the range beyond it, and 0
    from a NaN. An integer becomes a narrower one by its low bits. To i1: whether it is not zero. `lathe.convert %x to f64 : tensor<4xf32>`.
  }];
  let arguments = (ins Lathe_Tensor:$operand, TypeAttr:$to);
  let results = (outs Lathe_Tensor:$result);
  let assemblyFormat = "$operand `to` $to attr-dict `:` type($operand)";
  let hasFolder = 1;
}

#endif
