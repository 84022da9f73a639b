#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Extents/Extents.h"
#include <cmath>

using namespace mlir;
using namespace lathe;

namespace {
struct RequireExtents : PassWrapper<RequireExtents, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RequireExtents)
  RequireExtents() = default;
  RequireExtents(const RequireExtents &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "lathe-require-extents"; }
  StringRef getDescription() const final {
    return "Notes on each function the extents that may be negative within the bounds of its dimensions, for the entry to "
           "check before it writes anything. Requires inferred dimensions, and no call or derivative left; refuses names that "
           "no argument or result of the function has.";
  }

  void runOnOperation() final {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      SmallVector<Attribute> required;
      SmallVector<Dim> known;
      if (failed(checkNames(function)))
        return signalPassFailure();
      function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
        for (const Dim &dim : requiredExtents(op))
          if (mayBeNegative(dim) && !llvm::is_contained(known, dim)) {
            known.push_back(dim);
            required.push_back(requirement(op, dim));
            ++noted;
          }
      });
      if (!required.empty())
        function->setAttr(kRequiresAttr, ArrayAttr::get(&getContext(), required));
    }
  }

private:
  /// An entry has a size for each name in its arguments and results, and for no other.
  static LogicalResult checkNames(func::FuncOp function) {
    auto namesOf = [](TypeRange types) {
      SmallVector<std::string> names;
      for (Type type : types)
        for (const Dim &dim : dimsOf(cast<RankedTensorType>(type)))
          dim.collectNames(names);
      return names;
    };
    SmallVector<std::string> known = namesOf(function.getArgumentTypes());
    llvm::append_range(known, namesOf(function.getResultTypes()));
    bool good = true;
    function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      SmallVector<std::string> names = namesOf(op->getResultTypes());
      if (auto scan = dyn_cast<ScanOp>(op))
        scan.getSteps().collectNames(names);
      for (const std::string &name : names)
        if (!llvm::is_contained(known, name) && llvm::none_of(op->getOperands(), [&](Value operand) { // told where it comes in
              return llvm::is_contained(namesOf(operand.getType()), name);
            })) {
          op->emitError("dimension '") << name << "' has no size: no argument or result of @" << function.getSymName()
                                       << " has it; give one that dimension, or write a number here";
          good = false;
        }
    });
    return success(good);
  }

  Attribute requirement(Operation *op, const Dim &dim) {
    MLIRContext *context = &getContext();
    return ArrayAttr::get(context, {dim.toAttr(context), StringAttr::get(context, op->getName().getStringRef()), op->getLoc()});
  }

  bool mayBeNegative(const Dim &dim) { return smallest(withoutFormulas(dim)) < 0; }

  /// Something that the dimension is never less than: ceil_div(N, 16) * 16 is at least N, the square of ceil_sqrt(N) as well.
  static Dim withoutFormulas(const Dim &dim) {
    Dim least(0);
    for (auto &[names, coefficient] : dim.getTerms()) {
      Dim term(coefficient);
      std::vector<std::string> factors = names; // sorted: equal ones are neighbours
      for (size_t i = 0; i < factors.size(); ++i) {
        std::optional<DerivedDim> formula = coefficient > 0 ? derivedDim(factors[i]) : std::nullopt;
        bool isSquare = i + 1 < factors.size() && factors[i] == factors[i + 1];
        std::optional<Dim> divided =
            formula && formula->kind == DerivedDim::CeilDiv ? term.dividedBy(formula->divisor) : std::nullopt;
        if (divided)
          term = *divided * formula->operand;
        else if (formula && formula->kind == DerivedDim::CeilSqrt && isSquare)
          term = term * formula->operand, ++i;
        else
          term = term * Dim::named(factors[i]);
      }
      least = least + term;
    }
    return least;
  }

  /// By the least value of each term for itself.
  double smallest(const Dim &dim) {
    double least = 0;
    for (auto &[names, coefficient] : dim.getTerms()) {
      double term = double(coefficient);
      for (const std::string &name : names)
        term *= sizeOf(name, /*least=*/coefficient > 0);
      least += term;
    }
    return least;
  }
  double sizeOf(const std::string &name, bool least) {
    if (std::optional<DerivedDim> formula = derivedDim(name)) {
      double operand = least ? std::max(smallest(formula->operand), 0.0) : -smallest(Dim(0) - formula->operand);
      return std::ceil(formula->kind == DerivedDim::CeilSqrt ? std::sqrt(operand) : operand / double(formula->divisor));
    }
    DimBounds bounds = boundsOf(getOperation(), name);
    return double(least ? bounds.minimum : bounds.maximum);
  }

  Statistic noted{this, "noted", "extents that entries have to check"};
};
} // namespace

std::unique_ptr<Pass> lathe::createRequireExtentsPass() { return std::make_unique<RequireExtents>(); }
void lathe::registerExtentsPasses() { PassRegistration<RequireExtents>(); }
