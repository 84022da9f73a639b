// Parsers and printers that the ops' assembly formats name.
#ifndef STABLEHLO_SYNTAX_H
#define STABLEHLO_SYNTAX_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"

namespace lathe {

using Operands = llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand>;
using Types = llvm::SmallVectorImpl<mlir::Type>;

/// Parses `[1, 2]`.
mlir::ParseResult parseList(mlir::AsmParser &parser, llvm::SmallVectorImpl<int64_t> &numbers);
/// Parses `[b, 0, f]x[0, i, o]->[b, 0, f]`.
mlir::ParseResult parseConvolutionDimensions(mlir::AsmParser &parser, mlir::DictionaryAttr &numbers);

// ---- Types: one for all if they are equal, else those of operands and results

mlir::ParseResult parseEqualTypesList(mlir::OpAsmParser &parser, llvm::ArrayRef<mlir::Type *> types);
void printEqualTypesList(mlir::OpAsmPrinter &printer, llvm::ArrayRef<mlir::Type> types);
template <typename... T>
mlir::ParseResult parseEqualTypes(mlir::OpAsmParser &parser, T &...types) {
  return parseEqualTypesList(parser, {&types...});
}
template <typename... T>
void printEqualTypes(mlir::OpAsmPrinter &printer, mlir::Operation *, T... types) {
  printEqualTypesList(printer, {types...});
}
/// Parses the type of complex numbers, whose parts are the operands, or all types.
mlir::ParseResult parseComplexTypes(mlir::OpAsmParser &parser, mlir::Type &lhs, mlir::Type &rhs, mlir::Type &result);
void printComplexTypes(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::Type lhs, mlir::Type rhs, mlir::Type result);
mlir::ParseResult parseVariadicEqualTypes(mlir::OpAsmParser &parser, const Operands &operands, Types &types,
                                          mlir::Type &result);
void printVariadicEqualTypes(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::ValueRange operands, mlir::TypeRange types,
                             mlir::Type result);
/// Parses the types of a select: those of the predicate and of the other operands, which are equal, or all of them.
mlir::ParseResult parseSelectTypes(mlir::OpAsmParser &parser, mlir::Type &predicate, mlir::Type &onTrue, mlir::Type &onFalse,
                                   mlir::Type &result);
void printSelectTypes(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::Type predicate, mlir::Type onTrue,
                      mlir::Type onFalse, mlir::Type result);
/// Parses the types of operands that are also those of the results.
mlir::ParseResult parsePairedTypes(mlir::OpAsmParser &parser, Types &operands, Types &results);
void printPairedTypes(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::TypeRange operands, mlir::TypeRange results);
mlir::ParseResult parseTupleTypes(mlir::OpAsmParser &parser, Types &operands, mlir::Type &result);
void printTupleTypes(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::TypeRange operands, mlir::Type result);

// ---- Operands and attributes

/// Parses operands with a comma after each.
mlir::ParseResult parseOperandsBefore(mlir::OpAsmParser &parser, Operands &operands);
void printOperandsBefore(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::ValueRange operands);
/// Parses an enumerator, such as `GT`.
mlir::ParseResult parseWord(mlir::OpAsmParser &parser, mlir::StringAttr &word);
void printWord(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::StringAttr word);
mlir::ParseResult parseOptionalWord(mlir::OpAsmParser &parser, mlir::StringAttr &word);
void printOptionalWord(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::StringAttr word);
/// Parses `e5m10`.
mlir::ParseResult parseFloatFormat(mlir::OpAsmParser &parser, mlir::IntegerAttr &exponent, mlir::IntegerAttr &mantissa);
void printFloatFormat(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::IntegerAttr exponent, mlir::IntegerAttr mantissa);
/// Parses `[0:4, 1:9:2]`.
mlir::ParseResult parseSliceRanges(mlir::OpAsmParser &parser, mlir::DenseI64ArrayAttr &starts, mlir::DenseI64ArrayAttr &limits,
                                   mlir::DenseI64ArrayAttr &strides);
void printSliceRanges(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::DenseI64ArrayAttr starts,
                      mlir::DenseI64ArrayAttr limits, mlir::DenseI64ArrayAttr strides);
/// Parses `, precision = [DEFAULT, HIGH]`, if it is there.
mlir::ParseResult parsePrecision(mlir::OpAsmParser &parser, mlir::ArrayAttr &precision);
void printPrecision(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::ArrayAttr precision);
/// Parses the same, then `, algorithm = <...>`, whose text is kept.
mlir::ParseResult parsePrecisionAndAlgorithm(mlir::OpAsmParser &parser, mlir::ArrayAttr &precision, mlir::Attribute &algorithm);
void printPrecisionAndAlgorithm(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::ArrayAttr precision,
                                mlir::Attribute algorithm);
/// Parses `batching_dims = [0] x [0], contracting_dims = [1] x [0]`.
mlir::ParseResult parseDotDimensions(mlir::OpAsmParser &parser, mlir::DictionaryAttr &numbers);
void printDotDimensions(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::DictionaryAttr numbers);
void printConvolutionDimensions(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::DictionaryAttr numbers);
/// Parses `stride = [1, 1], pad = [[0, 0], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]`; each
/// part may be missing.
mlir::ParseResult parseConvolutionWindow(mlir::OpAsmParser &parser, mlir::DenseI64ArrayAttr &strides,
                                         mlir::DenseIntElementsAttr &padding, mlir::DenseI64ArrayAttr &lhsDilation,
                                         mlir::DenseI64ArrayAttr &rhsDilation, mlir::DenseBoolArrayAttr &reversal);
void printConvolutionWindow(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::DenseI64ArrayAttr strides,
                            mlir::DenseIntElementsAttr padding, mlir::DenseI64ArrayAttr lhsDilation,
                            mlir::DenseI64ArrayAttr rhsDilation, mlir::DenseBoolArrayAttr reversal);
/// Passes over `, is_stable = true`.
mlir::ParseResult parseIgnoredStability(mlir::OpAsmParser &parser, mlir::IntegerAttr);
inline void printIgnoredStability(mlir::OpAsmPrinter &, mlir::Operation *, mlir::IntegerAttr) {}
/// Parses `@name` or `@"any name"`.
mlir::ParseResult parseCallTarget(mlir::OpAsmParser &parser, mlir::StringAttr &target);
void printCallTarget(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::StringAttr target);

} // namespace lathe

#endif
