// The dialect `sdy` of Shardy, in which JAX writes how programs are divided among devices: its syntax, as ops without
// definitions. `sdy.mesh` keeps its axes, and `sdy.manual_computation` its axes and shardings, as text in attributes.
#ifndef STABLEHLO_SHARDY_H
#define STABLEHLO_SHARDY_H

#include "mlir/IR/Dialect.h"
#include "mlir/IR/Operation.h"

namespace lathe::sdy {

class ShardyDialect : public mlir::Dialect {
public:
  explicit ShardyDialect(mlir::MLIRContext *context);
  static mlir::StringRef getDialectNamespace() { return "sdy"; }

  /// Keeps an attribute such as `#sdy.sharding<@mesh, [{"x"}, {}]>` as it is.
  mlir::Attribute parseAttribute(mlir::DialectAsmParser &parser, mlir::Type type) const override;
  void printAttribute(mlir::Attribute attribute, mlir::DialectAsmPrinter &printer) const override;
  /// Returns the parser of an op's custom form; nullopt if the op has none here.
  std::optional<ParseOpHook> getParseOperationHook(mlir::StringRef name) const override;
};

/// Returns an attribute of an op as text, in its custom form and in its generic one; empty if it is missing.
std::string textOf(mlir::Operation *op, mlir::StringRef name);
/// Returns the axes of a mesh and their sizes from the text of its attribute `mesh`, `<["x"=2, "y"=4]>`.
llvm::SmallVector<std::pair<std::string, int64_t>> axesOf(mlir::Operation *mesh);

/// How the dimensions of a value are divided among the devices of a mesh: the names of each dimension's axes, the one that
/// counts slowest first. Axes that may still be added, priorities and what is replicated are left out.
struct Sharding {
  std::string mesh;
  llvm::SmallVector<llvm::SmallVector<std::string, 1>> dims;

  bool operator==(const Sharding &other) const { return mesh == other.mesh && dims == other.dims; }
};

/// Returns the shardings in an attribute such as `[<@mesh, [{"x"}, {}]>, <@mesh, []>]`; nullopt for others, such as those with
/// parts of axes.
std::optional<llvm::SmallVector<Sharding>> shardingsOf(mlir::Operation *op, mlir::StringRef name);

/// Returns the names of axes in an attribute such as `{"x", "y"}`.
llvm::SmallVector<std::string> axisNames(mlir::Operation *op, mlir::StringRef name);

} // namespace lathe::sdy

#endif
