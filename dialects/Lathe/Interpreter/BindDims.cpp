// Finds the sizes of named dimensions from the shapes of arguments.
#include "dialects/Lathe/Interpreter/Evaluate.h"
#include "dialects/Lathe/Interpreter/Interpreter.h"
#include "lib/Support/Text.h"

using namespace mlir;
using namespace lathe;

static Dim substituteSizes(const Dim &dim, const Sizes &sizes) {
  std::map<std::string, Dim> values;
  for (auto &[name, size] : sizes)
    values.emplace(name, Dim(size));
  return dim.substitute(values);
}

/// Solves for the name without a size, if there is exactly one and it is in one term. Returns true if it did.
static bool solve(const Dim &dim, int64_t actual, unsigned tensor, SolvedDims &solved) {
  const Dim rest = substituteSizes(dim, solved.sizes), varying = rest - Dim(rest.constant());
  SmallVector<std::string> names;
  rest.collectNames(names);
  if (names.size() != 1 || varying.getTerms().size() != 1)
    return false;
  auto term = varying.getTerms().begin();
  int64_t difference = 0;
  if (llvm::SubOverflow(actual, rest.constant(), difference) || term->first != Dim::Monomial{names[0]} ||
      difference % term->second)
    return false;
  solved.sizes[names[0]] = difference / term->second;
  solved.givers[names[0]] = tensor;
  return true;
}

SolvedDims lathe::solveDims(ArrayRef<Dims> tensors, ArrayRef<ArrayRef<int64_t>> shapes, SolvedDims solved) {
  bool changed = true;
  while (changed) { // N * M gives M when another tensor gives N
    changed = false;
    for (auto [i, dims] : llvm::enumerate(tensors))
      for (auto [dim, extent] : llvm::zip_equal(dims, shapes[i]))
        changed |= solve(dim, extent, i, solved);
  }
  return solved;
}

namespace {
struct Binder {
  func::FuncOp function;
  SolvedDims solved;

  std::string argumentName(unsigned i) {
    auto name = function.getArgAttrOfType<StringAttr>(i, kNameAttr);
    return name ? "'" + name.getValue().str() + "'" : std::to_string(i);
  }

  /// Returns the argument that gave a dimension its size, in words, or the job with its axes.
  std::string giverOf(const std::string &name) {
    auto giver = solved.givers.find(name);
    return giver == solved.givers.end() ? "the job" : "argument " + argumentName(giver->second);
  }

  /// Checks an argument's shape against its type with the known sizes.
  LogicalResult check(unsigned argument, ArrayRef<int64_t> shape) {
    Dims dims = dimsOf(function.getArgument(argument));
    for (auto [d, dim] : llvm::enumerate(dims)) {
      std::optional<int64_t> expected = evaluate(dim, solved.sizes);
      if (dim.isUnknown() || (expected && *expected == shape[d]))
        continue;
      InFlightDiagnostic diagnostic = function.emitError("argument ") << argumentName(argument) << " has extent " << shape[d]
                                                                      << " in dimension " << d << ", expected " << dim.str();
      if (expected && !dim.isStatic())
        diagnostic << " = " << *expected;
      SmallVector<std::string> names;
      dim.collectNames(names);
      for (const std::string &name : names)
        if (solved.sizes.count(name))
          diagnostic << ", as " << giverOf(name) << " has " << name << " = " << solved.sizes[name];
      return diagnostic;
    }
    return success();
  }

  /// Checks the bounds that lathe.dim declares.
  LogicalResult checkBounds() {
    for (auto &[name, size] : solved.sizes) {
      auto [low, high, multiple, dim] = boundsOf(function->getParentOfType<ModuleOp>(), name);
      if (size >= low && size <= high && size % multiple == 0)
        continue;
      InFlightDiagnostic diagnostic = function.emitError("dimension ")
                                      << name << " is " << size << " from " << giverOf(name) << ", expected at least " << low;
      if (dim)
        diagnostic << ", at most " << high;
      if (multiple != 1)
        diagnostic << ", a multiple of " << multiple;
      return diagnostic;
    }
    return success();
  }
};
} // namespace

FailureOr<Sizes> lathe::bindDims(func::FuncOp function, ArrayRef<ArrayRef<int64_t>> shapes, ArrayRef<RankAxis> axes) {
  Binder binder{function, {}};
  SmallVector<Dims> arguments;
  for (auto [i, shape] : llvm::enumerate(shapes)) {
    arguments.push_back(dimsOf(function.getArgument(i)));
    if (arguments.back().size() != shape.size())
      return function.emitError("argument ")
             << binder.argumentName(i) << " has shape " << listText(shape) << ", expected " << str(arguments.back());
  }
  binder.solved = solveDims(arguments, shapes);
  for (const RankAxis &axis : axes)
    binder.solved.sizes.emplace(axis.name, axis.size);
  binder.solved = solveDims(arguments, shapes, std::move(binder.solved));
  for (auto [i, shape] : llvm::enumerate(shapes))
    if (failed(binder.check(i, shape)))
      return failure();
  if (failed(binder.checkBounds()))
    return failure();
  return binder.solved.sizes;
}
