// Derivatives and batches of a function as functions beside it.
#ifndef LATHE_TEST_AUTODIFF_DERIVE_H
#define LATHE_TEST_AUTODIFF_DERIVE_H

#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

inline llvm::SmallVector<int64_t> floatIndices(mlir::TypeRange types) {
  return llvm::to_vector(
      llvm::make_filter_range(llvm::seq<int64_t>(types.size()), [&](int64_t i) { return lathe::isFloatTensor(types[i]); }));
}

/// Adds @NAME_jvp(arguments, tangents) or @NAME_vjp(arguments, cotangents); both give all results of the op.
template <typename Op>
mlir::func::FuncOp derive(mlir::func::FuncOp f, llvm::StringRef suffix) {
  using namespace mlir;
  constexpr bool forward = std::is_same_v<Op, lathe::JvpOp>;
  OpBuilder builder(f);
  SmallVector<Type> arguments(f.getArgumentTypes()), results(f.getResultTypes());
  SmallVector<Type> directions = lathe::floatsOf(forward ? TypeRange(arguments) : TypeRange(results));
  SmallVector<Type> derivatives = lathe::floatsOf(forward ? TypeRange(results) : TypeRange(arguments));
  SmallVector<int64_t> wrt = floatIndices(arguments);
  size_t numInputs = arguments.size();
  arguments.append(directions);
  results.append(derivatives);
  auto made =
      func::FuncOp::create(builder, f.getLoc(), (f.getSymName() + suffix).str(), builder.getFunctionType(arguments, results));
  Block *body = made.addEntryBlock();
  builder.setInsertionPointToStart(body);
  auto op = Op::create(builder, f.getLoc(), results, f.getSymName(), body->getArguments().take_front(numInputs),
                       body->getArguments().drop_front(numInputs), wrt);
  func::ReturnOp::create(builder, f.getLoc(), op.getResults());
  return made;
}

/// Adds @BY, the vmap of f over a batch of `size` elements that stands in dimension in[i] of argument i.
inline mlir::func::FuncOp addVmap(mlir::OpBuilder &builder, mlir::func::FuncOp f, llvm::ArrayRef<int64_t> in,
                                  const lathe::Dim &size, llvm::StringRef by) {
  using namespace mlir;
  using namespace lathe;
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> arguments, results;
  auto larger = [&](Type type, int64_t dim) -> Type {
    auto tensor = cast<RankedTensorType>(type);
    Dims dims = dimsOf(tensor);
    if (dim != VmapOp::kShared)
      dims.insert(dims.begin() + dim, size);
    return tensorOf(dims, tensor.getElementType());
  };
  for (auto [type, dim] : llvm::zip_equal(f.getArgumentTypes(), in))
    arguments.push_back(larger(type, dim));
  for (Type type : f.getResultTypes())
    results.push_back(larger(type, 0));
  auto made = func::FuncOp::create(builder, f.getLoc(), by, builder.getFunctionType(arguments, results));
  builder.setInsertionPointToStart(made.addEntryBlock());
  auto op = VmapOp::create(builder, f.getLoc(), results, f.getSymName(), made.getArguments(), in);
  func::ReturnOp::create(builder, f.getLoc(), op.getResults());
  return made;
}

#endif
