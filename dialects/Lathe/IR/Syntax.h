// Custom directives of the assembly formats, and the text of dimension expressions.
#ifndef LATHE_IR_SYNTAX_H
#define LATHE_IR_SYNTAX_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

/// dim := term (('+' | '-') term)*, term := factor ('*' factor)*, factor := INT | NAME
mlir::FailureOr<Dim> parseDim(mlir::AsmParser &parser);

// `T` for two operands of one type, else `T, U`.
mlir::ParseResult parseTypes(mlir::OpAsmParser &parser, mlir::Type &first, mlir::Type &second);
void printTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::Type first, mlir::Type second);

// `T` for three operands of one type, else `T, U, V`.
mlir::ParseResult parseTypes(mlir::OpAsmParser &parser, mlir::Type &first, mlir::Type &second, mlir::Type &third);
void printTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::Type first, mlir::Type second, mlir::Type third);

// `(T, U)`, which may be empty
mlir::ParseResult parseTypeList(mlir::OpAsmParser &parser, llvm::SmallVectorImpl<mlir::Type> &types);
void printTypeList(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::TypeRange types);

// `[N, 16 * 16]`
mlir::ParseResult parseShape(mlir::AsmParser &parser, ShapeAttr &shape);
void printShape(mlir::AsmPrinter &printer, mlir::Operation *op, ShapeAttr shape);

// `5` or `min(N, 100)`: a shape of one dimension
mlir::ParseResult parseCount(mlir::AsmParser &parser, ShapeAttr &count);
void printCount(mlir::AsmPrinter &printer, mlir::Operation *op, ShapeAttr count);

// `over data`, or `over data = 4`: an axis of ranks, and its size if that is not the dimension of its name
mlir::ParseResult parseAxis(mlir::AsmParser &parser, mlir::StringAttr &axis, ShapeAttr &size);
void printAxis(mlir::AsmPrinter &printer, mlir::Operation *op, mlir::StringAttr axis, ShapeAttr size);

// `[0, 2]`
mlir::ParseResult parseIntegers(mlir::AsmParser &parser, llvm::SmallVectorImpl<int64_t> &list);

// `step [1, 2]`, omitted if all are 1
mlir::ParseResult parseSteps(mlir::OpAsmParser &parser, mlir::DenseI64ArrayAttr &steps, ShapeAttr starts);
void printSteps(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::DenseI64ArrayAttr steps, ShapeAttr starts);

// `interior [0, 1]`, omitted if all are 0
mlir::ParseResult parseInterior(mlir::OpAsmParser &parser, mlir::DenseI64ArrayAttr &interior, ShapeAttr low);
void printInterior(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::DenseI64ArrayAttr interior, ShapeAttr low);

// `window [1, 3] stride [1, 2] pad [[0, 0], [1, 1]] dilation [1, 2] base_dilation [2, 1]`; all but the first may be omitted:
// steps of 1, no padding
mlir::ParseResult parseWindow(mlir::OpAsmParser &parser, WindowAttr &window);
void printWindow(mlir::OpAsmPrinter &printer, mlir::Operation *op, WindowAttr window);
// `[[0, 1], [1, 1]]`
mlir::ParseResult parsePadding(mlir::OpAsmParser &parser, llvm::SmallVectorImpl<int64_t> &low,
                               llvm::SmallVectorImpl<int64_t> &high);
void printPadding(mlir::OpAsmPrinter &printer, llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> high);

// `(%a = %x : T, %b = %y : U)`: block arguments and the sources of their values
mlir::ParseResult parseBindings(mlir::OpAsmParser &parser, llvm::SmallVectorImpl<mlir::OpAsmParser::Argument> &arguments,
                                llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &operands);
void printBindings(mlir::OpAsmPrinter &printer, mlir::Block::BlockArgListType arguments, mlir::ValueRange operands);

// `adamw<weight_decay = 0.1, clip_norm = 1.0>`: a custom directive, since an attribute would take the colon after it for its
// type.
mlir::ParseResult parseOptimizer(mlir::OpAsmParser &parser, OptimizerAttr &optimizer);
void printOptimizer(mlir::OpAsmPrinter &printer, mlir::Operation *op, OptimizerAttr optimizer);

// `batch [0] x [0]`, omitted if empty
mlir::ParseResult parseBatch(mlir::OpAsmParser &parser, mlir::DenseI64ArrayAttr &lhs, mlir::DenseI64ArrayAttr &rhs);
void printBatch(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::DenseI64ArrayAttr lhs, mlir::DenseI64ArrayAttr rhs);

// `[0, none]`: the batch dimension of each operand
mlir::ParseResult parseBatchDims(mlir::OpAsmParser &parser, mlir::DenseI64ArrayAttr &dims);
void printBatchDims(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::DenseI64ArrayAttr dims);

/// Parses the optional `-> T` of a naming op. Without it the result has plain `?`.
template <typename Op>
mlir::ParseResult parseNamedResult(mlir::OpAsmParser &parser, mlir::OperationState &state,
                                   const mlir::NamedAttrList &attributes);
void printNamedResult(mlir::OpAsmPrinter &printer, mlir::Value result);
/// Adds the result's type, which is the inferred one or what the text says after `->`.
mlir::ParseResult addNamedResult(mlir::OpAsmParser &parser, mlir::OperationState &state, mlir::RankedTensorType inferred);

} // namespace lathe

template <typename Op>
mlir::ParseResult lathe::parseNamedResult(mlir::OpAsmParser &parser, mlir::OperationState &state,
                                          const mlir::NamedAttrList &attributes) {
  llvm::SMLoc start = parser.getNameLoc();
  auto &properties = state.getOrAddProperties<typename Op::Properties>();
  llvm::SmallVector<mlir::Type> inferred;
  if (failed(Op::setPropertiesFromAttr(properties, attributes.getDictionary(parser.getContext()),
                                       [&] { return parser.emitError(start); })) ||
      failed(Op::inferReturnTypes(parser.getContext(), state.location, state.operands,
                                  state.attributes.getDictionary(parser.getContext()), state.getRawProperties(), state.regions,
                                  inferred)))
    return mlir::failure();
  return addNamedResult(parser, state, mlir::cast<mlir::RankedTensorType>(inferred[0]));
}

#endif
