// Elementwise ops: one result element from one element of each operand.
//
// Operands broadcast as in NumPy: shapes are aligned at the last dimension, and a missing dimension or a static 1 is repeated. A
// named dimension never is. The import stage makes every broadcast an explicit lathe.broadcast; later passes see equal shapes.
#ifndef LATHE_ELEMENTWISE_OPS_TD
#define LATHE_ELEMENTWISE_OPS_TD

include "dialects/Lathe/IR/LatheAttributes.td"

def Lathe_ElementwiseTrait : Lathe_Trait<"ElementwiseTrait">;
// An op that computes the elementary function of its name. lathe.apply also names them; the interpreter and each emitter have a
// table of them.
def Lathe_ElementaryTrait : Lathe_Trait<"ElementaryTrait">;

class Lathe_ElementwiseOp<string mnemonic, list<Trait> traits = []>
    : Lathe_ValueOp<mnemonic, !listconcat([Lathe_ElementwiseTrait, Lathe_ReadsOnce], traits)>;

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
def Lathe_AbsOp : Lathe_UnaryOp<"abs", Lathe_NumberTensor, "The absolute value", "Its derivative at 0 is 0."> { let hasFolder = 1; }
def Lathe_SignOp : Lathe_UnaryOp<"sign", Lathe_NumberTensor, "-1, 0 or 1", "A NaN stays NaN, a zero keeps its sign.">;

class Lathe_FunctionOp<string mnemonic, string meaning, string note = "">
    : Lathe_UnaryOp<mnemonic, Lathe_FloatTensor, meaning, note, [Lathe_ElementaryTrait]>;
def Lathe_ExpOp : Lathe_FunctionOp<"exp", "e to the power x">;
def Lathe_Exp2Op : Lathe_FunctionOp<"exp2", "2 to the power x", "Exact for integers.">;
def Lathe_Expm1Op : Lathe_FunctionOp<"expm1", "exp(x) - 1, exact near 0">;
def Lathe_LogOp : Lathe_FunctionOp<"log", "The natural logarithm", "-inf at 0, NaN below.">;
def Lathe_Log2Op : Lathe_FunctionOp<"log2", "The logarithm to base 2", "Exact for powers of 2; -inf at 0, NaN below.">;
def Lathe_Log10Op : Lathe_FunctionOp<"log10", "The logarithm to base 10", "-inf at 0, NaN below.">;
def Lathe_Log1pOp : Lathe_FunctionOp<"log1p", "log(1 + x), exact near 0", "-inf at -1, NaN below.">;
def Lathe_SqrtOp : Lathe_UnaryOp<"sqrt", Lathe_FloatTensor, "The square root", "NaN below 0.">;
def Lathe_RsqrtOp : Lathe_FunctionOp<"rsqrt", "1 / sqrt(x)", "Infinite with the sign of a zero, NaN below.">;
def Lathe_CbrtOp : Lathe_FunctionOp<"cbrt", "The cube root", "Negative for negative numbers.">;
def Lathe_SinOp : Lathe_FunctionOp<"sin", "The sine of x radians", "NaN for an infinity.">;
def Lathe_CosOp : Lathe_FunctionOp<"cos", "The cosine of x radians", "NaN for an infinity.">;
def Lathe_TanOp : Lathe_FunctionOp<"tan", "The tangent of x radians", "NaN for an infinity.">;
def Lathe_AsinOp : Lathe_FunctionOp<"asin", "The angle in [-pi/2, pi/2] whose sine is x", "NaN outside [-1, 1].">;
def Lathe_AcosOp : Lathe_FunctionOp<"acos", "The angle in [0, pi] whose cosine is x", "NaN outside [-1, 1].">;
def Lathe_AtanOp : Lathe_FunctionOp<"atan", "The angle in [-pi/2, pi/2] whose tangent is x">;
def Lathe_SinhOp : Lathe_FunctionOp<"sinh", "The hyperbolic sine">;
def Lathe_CoshOp : Lathe_FunctionOp<"cosh", "The hyperbolic cosine">;
def Lathe_TanhOp : Lathe_FunctionOp<"tanh", "The hyperbolic tangent">;
def Lathe_AsinhOp : Lathe_FunctionOp<"asinh", "The number whose hyperbolic sine is x">;
def Lathe_AcoshOp : Lathe_FunctionOp<"acosh", "The number not below 0 whose hyperbolic cosine is x", "NaN below 1.">;
def Lathe_AtanhOp : Lathe_FunctionOp<"atanh", "The number whose hyperbolic tangent is x",
    "Infinite at 1 and -1, NaN beyond.">;
def Lathe_LogisticOp : Lathe_FunctionOp<"logistic", "1 / (1 + exp(-x))">;
def Lathe_ErfOp : Lathe_FunctionOp<"erf", "The error function">;
def Lathe_ErfcOp : Lathe_FunctionOp<"erfc", "1 - erf(x), accurate where that is close to 0">;
def Lathe_ErfInvOp : Lathe_FunctionOp<"erf_inv", "The number whose error function is x", "Infinite at 1 and -1, NaN beyond.">;

def Lathe_LgammaOp : Lathe_FunctionOp<"lgamma", "log(|gamma(x)|)", "Infinite at 0, at the negative integers and at both infinities.">;
def Lathe_DigammaOp : Lathe_FunctionOp<"digamma", "The derivative of lgamma",
    "-inf at 0 and inf at -0, NaN at the negative integers and at -inf.">;
def Lathe_PolygammaOp : Lathe_ElementwiseOp<"polygamma", [Lathe_ElementaryTrait]> {
  let summary = "The derivative of digamma of a constant order";
  let description = [{
    `lathe.polygamma %x order 1 : tensor<4xf32>` is trigamma. For an odd order it is inf at 0 and the negative integers. For an even
    order it is -inf at 0, inf at -0, and NaN at the negative integers. It is NaN at -inf. A derivative that would need a higher
    order than 32 is refused.

    Constraints: (C1) the order is from 1 to 32.
  }];
  let arguments = (ins Lathe_FloatTensor:$operand, I64Attr:$order);
  let results = (outs Lathe_FloatTensor:$result);
  let assemblyFormat = "$operand `order` $order attr-dict `:` type($operand)";
  let extraClassDeclaration = [{ static constexpr int64_t kLargestOrder = 32; }];
}

def Lathe_FloorOp : Lathe_UnaryOp<"floor", Lathe_FloatTensor, "The largest integer not above x"> { let hasFolder = 1; }
def Lathe_CeilOp : Lathe_UnaryOp<"ceil", Lathe_FloatTensor, "The smallest integer not below x"> { let hasFolder = 1; }
def Lathe_TruncOp : Lathe_UnaryOp<"trunc", Lathe_FloatTensor, "The nearest integer towards 0"> { let hasFolder = 1; }
def Lathe_RoundOp : Lathe_UnaryOp<"round", Lathe_FloatTensor, "The nearest integer, ties to even"> { let hasFolder = 1; }
def Lathe_RoundHalfAwayOp : Lathe_UnaryOp<"round_half_away", Lathe_FloatTensor, "The nearest integer, ties away from 0"> { let hasFolder = 1; }

// Tests, whose result is an i1.
class Lathe_TestOp<string mnemonic, string meaning> : Lathe_UnaryOp<mnemonic, Lathe_FloatTensor, meaning> {
  let results = (outs Lathe_BoolTensor:$result);
  let extraClassDefinition = [{
    ::mlir::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *context, std::optional<::mlir::Location>,
                                                      Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      types.push_back(::lathe::tensorOf(::lathe::dimsOf(adaptor.getOperand()), ::mlir::IntegerType::get(context, 1)));
      return ::mlir::success();
    }
  }];
}
def Lathe_IsNanOp : Lathe_TestOp<"is_nan", "True if x is a NaN">;
def Lathe_IsInfOp : Lathe_TestOp<"is_inf", "True if x is an infinity of either sign">;
def Lathe_IsFiniteOp : Lathe_TestOp<"is_finite", "True if x is neither an infinity nor a NaN">;

def Lathe_PopcountOp : Lathe_UnaryOp<"popcount", Lathe_IntegerTensor, "The number of bits that are 1">;
def Lathe_CountLeadingZerosOp : Lathe_UnaryOp<"count_leading_zeros", Lathe_IntegerTensor,
    "The number of 0 bits above the highest 1", "For 0 it is the width.">;
def Lathe_CountTrailingZerosOp : Lathe_UnaryOp<"count_trailing_zeros", Lathe_IntegerTensor,
    "The number of 0 bits below the lowest 1", "For 0 it is the width.">;
def Lathe_NotOp : Lathe_UnaryOp<"not", Lathe_IntTensor, "Every bit inverted; logical not of an i1"> { let hasFolder = 1; }
def Lathe_StopGradientOp : Lathe_UnaryOp<"stop_gradient", Lathe_Tensor, "x, which derivatives treat as a constant",
    "In a transposed program it is the identity.", [Lathe_MovesElementsTrait]> { let hasFolder = 1; }

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
      return ::lathe::inferElementwise(location, getOperationName(), {{"lhs", adaptor.getLhs()}, {"rhs", adaptor.getRhs()}}, types);
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
def Lathe_FloorDivOp : Lathe_BinaryOp<"floor_div", Lathe_NumberTensor,
    "The largest integer not above lhs / rhs, as Python's //; for a divisor of 0, lhs / rhs of floats and all bits set (-1) for integers; the smallest integer / -1 is itself">;
def Lathe_FloorModOp : Lathe_BinaryOp<"floor_mod", Lathe_NumberTensor,
    "lhs - floor(lhs / rhs) * rhs, with the sign of rhs, as Python's %; x mod 0 is x for integers and NaN for floats">;
def Lathe_PowOp : Lathe_BinaryOp<"pow", Lathe_NumberTensor,
    "lhs to the power rhs, as C's pow; integers wrap, and x^-n is 1 / x^n by lathe.div: 0, except for x of -1, 0 and 1", [Lathe_ElementaryTrait]>;
def Lathe_Atan2Op : Lathe_BinaryOp<"atan2", Lathe_FloatTensor,
    "The angle in [-pi, pi] of the point with y = lhs and x = rhs, signs of zeros and infinities as in C; its derivative at (0, 0) is NaN", [Lathe_ElementaryTrait]>;
def Lathe_HypotOp : Lathe_BinaryOp<"hypot", Lathe_FloatTensor,
    "sqrt(lhs^2 + rhs^2) without intermediate overflow; infinite if either is, even if the other is a NaN; its derivative at (0, 0) is 0", [Lathe_ElementaryTrait]>;
def Lathe_CopysignOp : Lathe_BinaryOp<"copysign", Lathe_FloatTensor,
    "The magnitude of lhs with the sign of rhs; its derivative by lhs is 0 at 0, and by rhs it is 0 everywhere">;
def Lathe_NextafterOp : Lathe_BinaryOp<"nextafter", Lathe_WideFloatTensor,
    "The number next to lhs in the direction of rhs; rhs if they are equal, NaN if either is; its derivative by lhs is 1">;
def Lathe_MaxOp : Lathe_BinaryOp<"max", Lathe_NumberTensor,
    "The larger one; NaN if either is; a tie gives each side half of the cotangent", [Commutative]> { let hasFolder = 1; }
def Lathe_MinOp : Lathe_BinaryOp<"min", Lathe_NumberTensor,
    "The smaller one; NaN if either is; a tie gives each side half of the cotangent", [Commutative]> { let hasFolder = 1; }
def Lathe_AndOp : Lathe_BinaryOp<"and", Lathe_IntTensor, "Bitwise and; logical and of i1", [Commutative]> { let hasFolder = 1; }
def Lathe_OrOp : Lathe_BinaryOp<"or", Lathe_IntTensor, "Bitwise or; logical or of i1", [Commutative]> { let hasFolder = 1; }
def Lathe_XorOp : Lathe_BinaryOp<"xor", Lathe_IntTensor, "Bitwise exclusive or", [Commutative]>;
def Lathe_ShiftLeftOp : Lathe_BinaryOp<"shift_left", Lathe_IntegerTensor,
    "lhs * 2^rhs without the bits above the width; 0 for an amount below 0 or not below the width">;
def Lathe_ShiftRightOp : Lathe_BinaryOp<"shift_right", Lathe_IntegerTensor,
    "The bits of lhs shifted down by rhs, with zeros shifted in; 0 for an amount below 0 or not below the width">;

def Lathe_ShiftRightArithmeticOp : Lathe_BinaryOp<"shift_right_arithmetic", Lathe_IntegerTensor,
    "floor(lhs / 2^rhs), with copies of the sign bit shifted in, or zeros for unsigned integers; 0 or -1, by the sign, for an amount below 0 or not below the width">;

def Lathe_LdexpOp : Lathe_ElementwiseOp<"ldexp"> {
  let summary = "operand * 2^exponent, rounded once";
  let description = [{
    There is no intermediate overflow or underflow. `lathe.ldexp %x, %n : tensor<4xf32>, tensor<4xi32>`.

    Constraints: (C1) the shapes broadcast.
  }];
  let arguments = (ins Lathe_FloatTensor:$operand, Lathe_IndexTensor:$exponent);
  let results = (outs Lathe_FloatTensor:$result);
  let assemblyFormat = "$operand `,` $exponent attr-dict `:` type($operand) `,` type($exponent)";
}

class Lathe_TernaryOp<string mnemonic, Type type, string a, string b, string c, list<Trait> traits = []>
    : Lathe_ElementwiseOp<mnemonic, traits> {
  let arguments = !dag(ins, [type, type, type], [a, b, c]);
  let results = (outs type:$result);
  let assemblyFormat = "$" # a # " `,` $" # b # " `,` $" # c # " attr-dict `:` custom<Types>(type($" # a # "), type($" # b
                       # "), type($" # c # "))";
  let extraClassDefinition = [{
    ::mlir::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *, std::optional<::mlir::Location> location, Adaptor adaptor,
                                                      ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::lathe::inferElementwise(location, getOperationName(),
                                       {{"}] # a # [{", adaptor.getOperands()[0]},
                                        {"}] # b # [{", adaptor.getOperands()[1]},
                                        {"}] # c # [{", adaptor.getOperands()[2]}}, types);
    }
  }];
}

def Lathe_FmaOp : Lathe_TernaryOp<"fma", Lathe_FloatTensor, "lhs", "rhs", "addend", [Lathe_ElementaryTrait]> {
  let summary = "lhs * rhs + addend, rounded once";
  let description = [{
    This holds on every CPU, with or without an FMA instruction. `lathe.fma %x, %y, %z : tensor<4xf32>`.

    Constraints: (C1) the operands have one element type; (C2) their shapes broadcast.
  }];
}

def Lathe_ClampOp : Lathe_TernaryOp<"clamp", Lathe_NumberTensor, "low", "operand", "high"> {
  let summary = "The operand, limited to [low, high]";
  let description = [{
    It equals min(max(operand, low), high): NaN if any operand is, and `high` if low > high. Operands that equal the result share
    its derivative. `lathe.clamp %zero, %x, %six : tensor<f32>, tensor<4xf32>, tensor<f32>`.

    Constraints: (C1) the operands have one element type; (C2) their shapes broadcast.
  }];
}

def Lathe_CompareOp : Lathe_ElementwiseOp<"compare"> {
  let summary = "lhs compared with rhs, as i1";
  let description = [{
    Integers compare as signed or unsigned, by their type; false is below true. `lathe.compare gt %x, %zero : tensor<4xf32>,
    tensor<f32>`.

    Constraints: (C1) both operands have one element type; (C2) their shapes broadcast.
  }];
  let arguments = (ins Lathe_CompareKindAttr:$kind, Lathe_Tensor:$lhs, Lathe_Tensor:$rhs);
  let results = (outs Lathe_BoolTensor:$result);
  let assemblyFormat = "$kind $lhs `,` $rhs attr-dict `:` custom<Types>(type($lhs), type($rhs))";
}

def Lathe_SelectOp : Lathe_ElementwiseOp<"select", [Lathe_MovesElementsTrait]> {
  let summary = "on_true where the predicate is true, else on_false";
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
    A float becomes the nearest float (ties to even). To an integer it is truncated towards zero and saturated to the type's range;
    a NaN becomes 0. An integer becomes a narrower one by its low bits. To i1, a number becomes true unless it is 0. `lathe.convert
    %x to f64 : tensor<4xf32>`.
  }];
  let arguments = (ins Lathe_Tensor:$operand, TypeAttr:$to);
  let results = (outs Lathe_Tensor:$result);
  let assemblyFormat = "$operand `to` $to attr-dict `:` type($operand)";
  let hasFolder = 1;
}

def Lathe_BitcastOp : Lathe_ElementwiseOp<"bitcast", [Lathe_MovesElementsTrait]> {
  let summary = "The same bits in another element type";
  let description = [{
    Derivatives treat the result as a constant. `lathe.bitcast %x to i32 : tensor<4xf32>`.

    Constraints: (C1) both element types are equally wide.
  }];
  let arguments = (ins Lathe_Tensor:$operand, TypeAttr:$to);
  let results = (outs Lathe_Tensor:$result);
  let assemblyFormat = "$operand `to` $to attr-dict `:` type($operand)";
  let hasFolder = 1;
}

#endif
