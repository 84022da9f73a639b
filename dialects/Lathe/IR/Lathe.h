// The lathe dialect: ops, attributes, and the declarations for their generated code.
#ifndef LATHE_IR_LATHE_H
#define LATHE_IR_LATHE_H

#include "dialects/Lathe/IR/Dims.h"
#include "dialects/Lathe/IR/ElementTypes.h"
#include "dialects/Lathe/IR/Real.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/IntegerSet.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace lathe {

/// Marks ops whose result element depends on one element of each operand, at the same index.
template <typename ConcreteType>
class ElementwiseTrait : public mlir::OpTrait::TraitBase<ConcreteType, ElementwiseTrait> {};

/// Marks ops that move elements without computing: they treat halves as bits.
template <typename ConcreteType>
class MovesElementsTrait : public mlir::OpTrait::TraitBase<ConcreteType, MovesElementsTrait> {};

/// Marks ops that can be the main op of a kernel.
template <typename ConcreteType>
class HeroTrait : public mlir::OpTrait::TraitBase<ConcreteType, HeroTrait> {};

/// Marks ops that read each element of their operands at most once.
template <typename ConcreteType>
class ReadsOnceTrait : public mlir::OpTrait::TraitBase<ConcreteType, ReadsOnceTrait> {};

/// Marks ops whose result is operand 0 with parts replaced, so that it may have that operand's memory.
template <typename ConcreteType>
class ReplacesPartsTrait : public mlir::OpTrait::TraitBase<ConcreteType, ReplacesPartsTrait> {};

/// Marks ops that are kernels of their own; their emitters take whole operands.
template <typename ConcreteType>
class OwnKernelTrait : public mlir::OpTrait::TraitBase<ConcreteType, OwnKernelTrait> {};

/// Marks elementwise ops that compute the function of their name: lathe.apply calls it for one point.
template <typename ConcreteType>
class ElementaryTrait : public mlir::OpTrait::TraitBase<ConcreteType, ElementaryTrait> {};

/// The attributes that all three members of the convolution family share.
struct ConvolutionGeometry {
  llvm::ArrayRef<int64_t> strides, inputDilation, dilation, padLow, padHigh;
  int64_t groups;
};

/// Infers the result type of an elementwise op with named operands of one element type.
using NamedValue = std::pair<llvm::StringRef, mlir::Value>;
mlir::LogicalResult inferElementwise(std::optional<mlir::Location> location, llvm::StringRef op,
                                     llvm::ArrayRef<NamedValue> operands, llvm::SmallVectorImpl<mlir::Type> &types);

/// Refuses operands that are not tensors of numbers. The inference of an op's results relies on this.
mlir::LogicalResult checkOperandTypes(std::optional<mlir::Location> location, llvm::StringRef op, mlir::ValueRange operands);

/// Returns the shape after NumPy's broadcasting; nullopt if the shapes do not broadcast.
std::optional<Dims> broadcastDims(llvm::ArrayRef<Dims> shapes);

/// Refuses a result shape with a negative number.
mlir::LogicalResult checkExtents(std::optional<mlir::Location> location, llvm::StringRef op, llvm::ArrayRef<Dim> shape);

/// True if the types are equal except for dimension names that the given ones lack.
bool equalButForNames(mlir::TypeRange inferred, mlir::TypeRange given);

/// Returns the scratch memory of an op that is a kernel of its own, as lathe.scratch; null if it needs none.
mlir::RankedTensorType scratchType(mlir::Operation *op);

/// The maximum k for which top_k keeps elements in order as they arrive; for more, all are sorted.
inline constexpr int64_t kMostKept = 64;

/// Returns the extents that must not be negative for an op to be valid: those of its results, the remaining part of a slice's
/// operand, the range of a window. With named dimensions they are known only when sizes are.
Dims requiredExtents(mlir::Operation *op);

/// Argument and result attributes that the dialect defines.
inline constexpr llvm::StringLiteral kNameAttr = "lathe.name"; // StringAttr: the C name
inline constexpr llvm::StringLiteral kModelAttr =
    "lathe.model"; // StringAttr: the file of a declared function, an ONNX model or a StableHLO program
inline constexpr llvm::StringLiteral kDimsAttr = "lathe.dims";   // DimsAttr: names of an argument's `?`
inline constexpr llvm::StringLiteral kStateAttr = "lathe.state"; // FlatSymbolRefAttr: argument or result is this variable
/// On a result: for each dimension the name of the rank 0 i64 result with the number of its valid elements, or "" for all.
inline constexpr llvm::StringLiteral kCountsAttr = "lathe.counts"; // ArrayAttr of StringAttr
/// On a function: extents that must not be negative, each [DimAttr, name of the op that has it, its location].
inline constexpr llvm::StringLiteral kRequiresAttr = "lathe.requires";
/// Names a function's declared dimensions that occur in its ops, but in no argument or result; ArrayAttr of StringAttr.
inline constexpr llvm::StringLiteral kSizesAttr = "lathe.sizes";
/// On a function that was expanded from a composite: the composite's name.
inline constexpr llvm::StringLiteral kCompositeAttr = "lathe.composite";

/// Attributes of a function that declare its derivative rule (DerivativeRules.h).
inline constexpr llvm::StringLiteral kTangentAttr = "lathe.tangent";   // FlatSymbolRefAttr
inline constexpr llvm::StringLiteral kGradientAttr = "lathe.gradient"; // ArrayAttr of two FlatSymbolRefAttr

namespace composites {
class Expansions;
} // namespace composites
} // namespace lathe

#include "dialects/Lathe/IR/LatheDialect.h.inc"
#include "dialects/Lathe/IR/LatheEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Lathe/IR/LatheAttributes.h.inc"
#include "dialects/Lathe/IR/LatheInterfaces.h.inc"
#define GET_OP_CLASSES
#include "dialects/Lathe/IR/LatheOps.h.inc"

namespace lathe {

/// True if a reduction combines bits, not numbers.
inline bool ofBits(ReduceKind kind) { return kind == ReduceKind::And || kind == ReduceKind::Or || kind == ReduceKind::Xor; }
/// True if a nest's reduction returns the index of an element, not its value.
inline bool givesIndex(NestReduction kind) { return kind == NestReduction::Argmax || kind == NestReduction::Argmin; }

/// True for ops without a value that report on a run, in the order of the graph.
inline bool isReport(mlir::Operation *op) { return mlir::isa<AssertOp, PrintOp, CheckOp>(op); }

/// The maximum number of operands and results, together, of a lathe.extern.
inline constexpr size_t kMostExternTensors = 16;

/// The signature of a C function that lathe.extern names. Only ranks and element types of its tensors matter for C.
struct ExternSignature {
  std::string symbol;
  llvm::SmallVector<mlir::Type> inputs, outputs;

  /// Returns "(f32 of rank 2, i32 of rank 1) -> (f32 of rank 2)": equal for equal C signatures.
  std::string str() const;
};
ExternSignature signatureOf(ExternOp op);
/// Creates a call of the function with these operands; the result types have their dimension names.
ExternOp callExtern(mlir::OpBuilder &builder, mlir::Location location, mlir::FlatSymbolRefAttr callee, mlir::ValueRange inputs,
                    mlir::TypeRange results, mlir::ArrayAttr gradient = {});
/// Returns the signature of the function that pulls cotangents back: (inputs, outputs, cotangents of float outputs) ->
/// cotangents of float inputs.
ExternSignature gradientOf(const ExternSignature &function, llvm::StringRef gradient);

/// The largest size of a named dimension: products of two stay below 2^63.
inline constexpr int64_t kLargestDimension = (int64_t(1) << 31) - 1;

/// The sizes that a named dimension may have, inclusive.
struct DimBounds {
  int64_t minimum = 0, maximum = kLargestDimension, multipleOf = 1;
  DimOp declaration; // null if the graph declares no bounds
};
DimBounds boundsOf(mlir::ModuleOp module, llvm::StringRef dimension);

} // namespace lathe

#endif
