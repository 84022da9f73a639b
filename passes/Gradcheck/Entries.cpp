// Builds the entries of the subjects: values, gradients and tangents over plain inputs.
#include "dialects/Lathe/IR/Constants.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "passes/Gradcheck/Gradcheck.h"
#include "passes/Gradcheck/Subject.h"
#include "llvm/ADT/SetVector.h"

namespace lathe {
#define GEN_PASS_DEF_GRADCHECKENTRIESPASS
#include "passes/Gradcheck/Gradcheck.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;
using namespace lathe::gradcheck;

namespace {
/// Builds the entries of one subject.
class Entries {
public:
  Entries(func::FuncOp subject, unsigned number, ArrayRef<StringAttr> variables)
      : subject(subject), number(number), variables(variables), builder(subject) {}

  /// Returns the number of entries, or failure.
  FailureOr<unsigned> make() {
    auto losses = dyn_cast<ArrayAttr>(subject->getAttr(kSubjectAttr));
    for (auto [i, type] : llvm::enumerate(subject.getArgumentTypes()))
      if (isFloatTensor(type) && isChecked(variableOf(i), losses))
        wrt.push_back(i);
    for (auto [i, type] : llvm::enumerate(subject.getResultTypes()))
      if (isFloatTensor(type)) // values that a loss writes into variables do not count
        (losses && subject.getResultAttr(i, kStateAttr) ? silent : results).push_back(i);
    if (results.empty())
      return subject.emitError("'") << subject.getSymName() << "' has no floating-point result to differentiate";
    if (wrt.empty())
      return subject.emitError("'") << subject.getSymName()
                                    << "' has no floating-point argument or variable to differentiate with respect to";
    makeValue();
    makeReverse();
    if (!lacksTangents())
      makeForward();
    makeVariables();
    subject.setPrivate();
    return count;
  }

private:
  /// True if forward derivatives are missing, because external functions or their gradients declare no tangent.
  bool lacksTangents() {
    bool lacks = false, calls = false, derives = false;
    llvm::SetVector<Operation *> functions; // functions that the subject batches or differentiates
    functions.insert(subject);
    for (size_t i = 0; i < functions.size(); ++i)
      functions[i]->walk([&](Operation *op) {
        auto function = dyn_cast<ExternOp>(op);
        lacks |= function && !function.getTangent();
        calls |= bool(function);
        derives |= isa<JvpOp, VjpOp, ValueAndGradOp>(op);
        if (auto callee = op->getAttrOfType<FlatSymbolRefAttr>("callee"); callee && !function)
          if (auto target = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, callee))
            functions.insert(target);
      });
    return lacks || (calls && derives);
  }

  static bool isChecked(StringAttr variable, ArrayAttr losses) {
    if (!losses)
      return true;
    auto isIt = [&](Attribute name) { return cast<FlatSymbolRefAttr>(name).getAttr() == variable; };
    return variable && (losses.empty() || llvm::any_of(losses, isIt));
  }

  StringAttr variableOf(unsigned argument) {
    auto name = subject.getArgAttrOfType<FlatSymbolRefAttr>(argument, kStateAttr);
    return name ? name.getAttr() : StringAttr();
  }

  StringAttr text(const Twine &name) { return builder.getStringAttr(name); }

  /// Creates a public function with the subject's arguments, then `more` of those types, and moves the builder into its body.
  func::FuncOp begin(StringRef name, ArrayRef<Type> more) {
    SmallVector<Type> types(subject.getArgumentTypes());
    types.append(more.begin(), more.end());
    builder.setInsertionPointAfter(subject);
    auto entry =
        func::FuncOp::create(builder, subject.getLoc(), (name + Twine(number)).str(), builder.getFunctionType(types, {}));
    for (unsigned i = 0; i < subject.getNumArguments(); ++i) {
      StringAttr variable = variableOf(i);
      entry.setArgAttr(i, kNameAttr,
                       variable ? text(kVariable + Twine(std::distance(variables.begin(), llvm::find(variables, variable))))
                                : subject.getArgAttrOfType<StringAttr>(i, kNameAttr));
    }
    for (unsigned i = 0; i < more.size(); ++i)
      entry.setArgAttr(subject.getNumArguments() + i, kNameAttr, text(kDirection + Twine(i)));
    builder.setInsertionPointToStart(entry.addEntryBlock());
    ++count;
    return entry;
  }

  /// Ends an entry. If the results are gradients, `by` gives the inputs.
  void end(func::FuncOp entry, ValueRange values, ArrayRef<int64_t> by = {}) {
    func::ReturnOp::create(builder, subject.getLoc(), values);
    entry.setFunctionType(builder.getFunctionType(entry.getArgumentTypes(), values.getTypes()));
    for (unsigned i = 0; i < values.size(); ++i) // never a name of the graph's arguments
      entry.setResultAttr(i, kNameAttr, by.empty() ? text(kResult + Twine(i)) : text(kGradient + Twine(by[i])));
  }

  ValueRange inputs(func::FuncOp entry) { return entry.getArguments().take_front(subject.getNumArguments()); }
  ValueRange directions(func::FuncOp entry) { return entry.getArguments().drop_front(subject.getNumArguments()); }

  SmallVector<Type> typesOf(TypeRange types, ArrayRef<int64_t> indices) {
    return llvm::map_to_vector(indices, [&](int64_t i) -> Type { return types[i]; });
  }

  void makeValue() {
    func::FuncOp entry = begin(kValue, {});
    auto call = func::CallOp::create(builder, subject.getLoc(), subject, inputs(entry));
    end(entry, llvm::map_to_vector(results, [&](int64_t i) -> Value { return call.getResult(i); }));
  }

  void makeReverse() {
    func::FuncOp entry = begin(kReverse, typesOf(subject.getResultTypes(), results));
    SmallVector<Value> cotangents;
    auto given = directions(entry).begin();
    for (auto [i, type] : llvm::enumerate(subject.getResultTypes()))
      if (llvm::is_contained(results, i))
        cotangents.push_back(*given++);
      else if (llvm::is_contained(silent, i))
        cotangents.push_back(zeros(cast<RankedTensorType>(type)));
    SmallVector<Type> types(subject.getResultTypes());
    llvm::append_range(types, typesOf(subject.getArgumentTypes(), wrt));
    auto vjp = VjpOp::create(builder, subject.getLoc(), types, subject.getSymName(), inputs(entry), cotangents, wrt);
    end(entry, vjp.getResults().take_back(wrt.size()), wrt);
  }

  void makeForward() {
    func::FuncOp entry = begin(kForward, typesOf(subject.getArgumentTypes(), wrt));
    SmallVector<int64_t> floats = results;
    floats.append(silent);
    llvm::sort(floats);
    SmallVector<Type> types(subject.getResultTypes());
    llvm::append_range(types, typesOf(subject.getResultTypes(), floats));
    auto jvp = JvpOp::create(builder, subject.getLoc(), types, subject.getSymName(), inputs(entry), directions(entry), wrt);
    SmallVector<Value> tangents;
    for (auto [i, index] : llvm::enumerate(floats))
      if (llvm::is_contained(results, index))
        tangents.push_back(jvp.getResult(subject.getNumResults() + i));
    end(entry, tangents);
  }

  void makeVariables() {
    SmallVector<Type> types;
    SmallVector<Attribute> names;
    for (unsigned i = 0; i < subject.getNumArguments(); ++i)
      if (StringAttr variable = variableOf(i)) {
        types.push_back(subject.getArgumentTypes()[i]);
        names.push_back(FlatSymbolRefAttr::get(variable));
      }
    if (types.empty())
      return;
    builder.setInsertionPointAfter(subject);
    auto entry =
        func::FuncOp::create(builder, subject.getLoc(), (kVariables + Twine(number)).str(), builder.getFunctionType(types, {}));
    for (auto [i, name] : llvm::enumerate(names))
      entry.setArgAttr(i, kStateAttr, name);
    builder.setInsertionPointToStart(entry.addEntryBlock());
    ++count;
    end(entry, entry.getArguments());
  }

  /// Returns zeros of a variable's type, which is static.
  Value zeros(RankedTensorType type) {
    return emitSplat(builder, subject.getLoc(), type, builder.getZeroAttr(type.getElementType()));
  }

  func::FuncOp subject;
  unsigned number, count = 0; // of the subject; of its entries
  ArrayRef<StringAttr> variables;
  OpBuilder builder;
  SmallVector<int64_t> wrt, results, silent; // arguments; float results with a cotangent, and without
};

struct GradcheckEntries : lathe::impl::GradcheckEntriesPassBase<GradcheckEntries> {
  void runOnOperation() final {
    SmallVector<StringAttr> variables;
    for (auto variable : getOperation().getOps<VariableOp>())
      variables.push_back(variable.getSymNameAttr());
    unsigned number = 0;
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      if (!function->hasAttr(kSubjectAttr))
        continue;
      FailureOr<unsigned> entries = Entries(function, number++, variables).make();
      if (failed(entries))
        return signalPassFailure();
      made += *entries;
    }
  }
};
} // namespace
