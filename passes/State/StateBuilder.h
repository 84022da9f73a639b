// Builds ops on tensors of one static type at one location, for initialisers and optimisers.
#ifndef LATHE_STATE_STATEBUILDER_H
#define LATHE_STATE_STATEBUILDER_H

#include "dialects/Lathe/IR/Constants.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/IR/Builders.h"

namespace lathe::state {

struct StateBuilder {
  mlir::OpBuilder &builder;
  mlir::Location location;

  template <typename Op, typename... Arguments>
  mlir::Value make(Arguments &&...arguments) {
    return Op::create(builder, location, std::forward<Arguments>(arguments)...);
  }
  mlir::Value splat(mlir::RankedTensorType type, double number) {
    return emitSplat(builder, location, type, numberAttr(type.getElementType(), number));
  }
  mlir::Value add(mlir::Value a, mlir::Value b) { return make<AddOp>(a, b); }
  mlir::Value sub(mlir::Value a, mlir::Value b) { return make<SubOp>(a, b); }
  mlir::Value mul(mlir::Value a, mlir::Value b) { return make<MulOp>(a, b); }
  mlir::Value scale(mlir::Value a, double factor) { return factor == 1 ? a : mul(a, splat(typeOf(a), factor)); }
  /// Broadcasts a scalar.
  mlir::Value spread(mlir::Value scalar, mlir::RankedTensorType type) {
    if (type.getRank() == 0)
      return scalar;
    return make<BroadcastOp>(scalar, llvm::ArrayRef<int64_t>(), shapeOf(builder.getContext(), dimsOf(type)));
  }
  mlir::Value convert(mlir::Value a, mlir::Type element) {
    return typeOf(a).getElementType() == element ? a : make<ConvertOp>(a, element);
  }
  static mlir::RankedTensorType typeOf(mlir::Value value) { return mlir::cast<mlir::RankedTensorType>(value.getType()); }
};

} // namespace lathe::state

#endif
