// The lathe dialect: ops, attributes, and what their generated code needs.
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

/// Marks ops whose result element depends on one element of each operand, at the same place.
template <typename ConcreteType>
class ElementwiseTrait : public mlir::OpTrait::TraitBase<ConcreteType, ElementwiseTrait> {};

/// Marks ops that place elements and compute nothing with them: on halves they work as on any bits.
template <typename ConcreteType>
class MovesElementsTrait : public mlir::OpTrait::TraitBase<ConcreteType, MovesElementsTrait> {};

/// Marks ops that are kernels of their own; their emitters take whole operands.
template <typename ConcreteType>
class OwnKernelTrait : public mlir::OpTrait::TraitBase<ConcreteType, OwnKernelTrait> {};

/// Marks elementwise ops that are the function of their name: lathe.apply calls it for one point.
template <typename ConcreteType>
class ElementaryTrait : public mlir::OpTrait::TraitBase<ConcreteType, ElementaryTrait> {};

/// The attributes that all three members of the convolution family share.
struct ConvolutionGeometry {
  llvm::ArrayRef<int64_t> strides, inputDilation, dilation, padLow, padHigh;
  int64_t groups;
};

/// Result type of an elementwise op of named operands of one element type.
using NamedValue = std::pair<llvm::StringRef, mlir::Value>;
mlir::LogicalResult inferElementwise(std::optional<mlir::Location> location, llvm::StringRef op,
                                     llvm::ArrayRef<NamedValue> operands, llvm::SmallVectorImpl<mlir::Type> &types);

/// Refuses operands that are not tensors of numbers, which the inference of an op's results relies on.
mlir::LogicalResult checkOperandTypes(std::optional<mlir::Location> location, llvm::StringRef op, mlir::ValueRange operands);

/// The shape that NumPy's rules give for operands of these shapes; nullopt where they do not broadcast.
std::optional<Dims> broadcastDims(llvm::ArrayRef<Dims> shapes);

/// Refuses the shape of a result that has a negative number in it.
mlir::LogicalResult checkExtents(std::optional<mlir::Location> location, llvm::StringRef op, llvm::ArrayRef<Dim> shape);

/// True if the types are equal but for dimension names that the given ones lack.
bool equalButForNames(mlir::TypeRange inferred, mlir::TypeRange given);

/// The memory that an op which is a kernel of its own needs besides its result, as lathe.scratch; null if it needs none.
mlir::RankedTensorType scratchType(mlir::Operation *op);

/// The most elements that top_k keeps in order as they come; for more all are sorted.
inline constexpr int64_t kMostKept = 64;

/// Returns the extents that must not be negative for an op to mean anything: those of its results, what a slice leaves of its
/// operand, how far a window can move. With named dimensions they are known only when sizes are.
Dims requiredExtents(mlir::Operation *op);

/// Argument and result attributes that the dialect defines.
inline constexpr llvm::StringLiteral kNameAttr = "lathe.name"; // StringAttr: the C name
inline constexpr llvm::StringLiteral kModelAttr =
    "lathe.model";                                             // StringAttr: the ONNX file that a declared function stands for
inline constexpr llvm::StringLiteral kDimsAttr = "lathe.dims"; // DimsAttr: names of an argument's `?`
inline constexpr llvm::StringLiteral kStateAttr = "lathe.state"; // FlatSymbolRefAttr: argument or result is this variable
/// Of a result: for each dimension the name of the rank 0 i64 result that tells how many of its elements count, or "" for all.
inline constexpr llvm::StringLiteral kCountsAttr = "lathe.counts"; // ArrayAttr of StringAttr
/// Of a function: extents that must not be negative, each [DimAttr, name of the op that has it, its location].
inline constexpr llvm::StringLiteral kRequiresAttr = "lathe.requires";
/// Names a function's declared dimensions that its ops have, but no argument or result; ArrayAttr of StringAttr.
inline constexpr llvm::StringLiteral kSizesAttr = "lathe.sizes";
/// Attribute of a function that was expanded from a composite: the composite's name.
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
#define GET_OP_CLASSES
#include "dialects/Lathe/IR/LatheOps.h.inc"

namespace lathe {

/// True if a reduction combines bits, not numbers.
inline bool ofBits(ReduceKind kind) { return kind == ReduceKind::And || kind == ReduceKind::Or || kind == ReduceKind::Xor; }
/// True if a nest's reduction returns the index of an element, not its value.
inline bool givesIndex(NestReduction kind) { return kind == NestReduction::Argmax || kind == NestReduction::Argmin; }

/// Ops without a value that say something about a run, in the order of the graph.
inline bool isReport(mlir::Operation *op) { return mlir::isa<AssertOp, PrintOp, CheckOp>(op); }

/// The most operands and results, together, of a lathe.extern.
inline constexpr size_t kMostExternTensors = 16;

/// A C function that lathe.extern names: its tensors, of which only ranks and element types concern C.
struct ExternSignature {
  std::string symbol;
  llvm::SmallVector<mlir::Type> inputs, outputs;

  /// "(f32 of rank 2, i32 of rank 1) -> (f32 of rank 2)": equal for equal C signatures.
  std::string str() const;
};
ExternSignature signatureOf(ExternOp op);
/// A call of it with these operands; the types of its results have their dimensions' names.
ExternOp callExtern(mlir::OpBuilder &builder, mlir::Location location, mlir::FlatSymbolRefAttr callee, mlir::ValueRange inputs,
                    mlir::TypeRange results, mlir::ArrayAttr gradient = {});
/// The function that pulls cotangents back through another: (inputs, outputs, cotangents of float outputs) -> cotangents of
/// float inputs.
ExternSignature gradientOf(const ExternSignature &function, llvm::StringRef gradient);

/// The largest size that any named dimension may have: products of two stay below 2^63.
inline constexpr int64_t kLargestDimension = (int64_t(1) << 31) - 1;

/// The sizes that a named dimension may have, inclusive.
struct DimBounds {
  int64_t minimum = 0, maximum = kLargestDimension, multipleOf = 1;
  DimOp declaration; // null where the graph declares no bounds
};
DimBounds boundsOf(mlir::ModuleOp module, llvm::StringRef dimension);

} // namespace lathe

#endif
