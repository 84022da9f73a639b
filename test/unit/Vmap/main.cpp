// vmap-test LATHE-RUN FOLDER: that lathe.vmap of each graph f is a loop of single runs of f.
//   For each choice of batched arguments, three elements, the batch as a number and as a named dimension: the interpreter gives
//   what the single runs give, bit for bit, because no rule changes the order in which anything adds up, but that of
//   convolutions on a batch of filters of unknown size.
//   The same for f's vjp, so that gradients of each example are right, and for a vmap of a vmap.
//   Compiled, the vmap with all arguments batched is what the interpreter says.
// That each op occurs in a graph is op-set-test's to hold.
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/Interpreter/Interpreter.h"
#include "lib/Import/Import.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Autodiff/Autodiff.h"
#include "passes/ExplicitBroadcast/ExplicitBroadcast.h"
#include "passes/Inline/Inline.h"
#include "test/unit/Autodiff/Derive.h"
#include "test/unit/Autodiff/RunChecks.h"
#include "test/unit/OpSet/Integers.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"
#include <cstring>
#include <fstream>
#include <random>

using namespace mlir;
using namespace lathe;
using Tensors = std::vector<Tensor>;

static constexpr int64_t kBatch = 3, kOuter = 2;
static const std::map<std::string, Dim> kSizes = {{"N", Dim(3)}, {"M", Dim(2)}, {"B", Dim(kBatch)}};

/// By taps, as convolutions with a filter each go where the batch is named, sums over channels are sums of sums.
static bool mayRound(StringRef text) { return text.contains("lathe.conv"); }

namespace {
class Checker {
public:
  Checker(MLIRContext &context, std::string runner, std::string folder)
      : context(context), runner(std::move(runner)), folder(std::move(folder)) {}

  void check(const Graph &graph) {
    name = graph.name;
    rounds = mayRound(graph.text);
    low = graph.low;
    high = graph.high;
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(graph.text, &context);
    if (!module)
      return fail("does not parse");
    auto f = module->lookupSymbol<func::FuncOp>("f");
    f.setPublic(); // else inlining would take it away
    std::vector<Case> cases;
    SmallVector<func::FuncOp> functions = {f};
    if (llvm::any_of(f.getArgumentTypes(), lathe::isFloatTensor) && llvm::any_of(f.getResultTypes(), lathe::isFloatTensor))
      functions.push_back(derive<VjpOp>(f, "_vjp"));
    for (func::FuncOp g : functions)
      addCases(g, cases);
    writeForCompiler(*module, cases);
    PassManager passes(&context);
    passes.addPass(createExpandDerivativesPass());
    passes.addPass(createInlinePass());
    passes.addPass(createExplicitBroadcastPass());
    if (failed(passes.run(*module)))
      return fail("does not expand");
    for (const Case &one : cases)
      checkCase(*module, one);
    checkCompiled();
  }

  int failures = 0, checks = 0;

private:
  /// A function beside `of` that maps it.
  struct Case {
    std::string of, by;
    SmallVector<int64_t> in;
    bool nested = false; // over two batches, the inner one first
    bool named = false;
  };

  /// All arguments batched, and each alone; the last dimension carries the batch of the latter.
  void addCases(func::FuncOp f, std::vector<Case> &cases) {
    size_t numArguments = f.getNumArguments();
    SmallVector<int64_t> all(numArguments, 0);
    cases.push_back(batched(f, all, Dim(kBatch), false));
    cases.push_back(batched(f, all, Dim(kBatch), true));
    cases.push_back(batched(f, all, Dim::named("B"), false));
    for (size_t i = 0; i < numArguments && numArguments > 1; ++i) {
      SmallVector<int64_t> one(numArguments, VmapOp::kShared);
      one[i] = cast<RankedTensorType>(f.getArgumentTypes()[i]).getRank();
      cases.push_back(batched(f, one, Dim(kBatch), false));
    }
  }

  Case batched(func::FuncOp f, ArrayRef<int64_t> in, const Dim &size, bool nested) {
    OpBuilder builder(f);
    std::string by = (f.getSymName() + "_by" + Twine(++counter)).str();
    func::FuncOp made = addVmap(builder, f, in, size, by);
    if (nested)
      made = addVmap(builder, made, in, Dim(kOuter), by + "_nested");
    return {f.getSymName().str(), made.getSymName().str(), SmallVector<int64_t>(in), nested, !size.isStatic()};
  }

  void checkCase(ModuleOp module, const Case &one) {
    auto f = module.lookupSymbol<func::FuncOp>(one.of), by = module.lookupSymbol<func::FuncOp>(one.by);
    Tensors stacked;
    for (Type type : by.getArgumentTypes())
      stacked.push_back(random(cast<RankedTensorType>(type)));
    std::optional<Tensors> results = run(by, stacked);
    if (!results)
      return;
    int64_t count = kBatch * (one.nested ? kOuter : 1);
    for (int64_t i = 0; i < count; ++i) {
      Tensors inputs;
      for (auto [tensor, dim] : llvm::zip_equal(stacked, one.in))
        inputs.push_back(dim == VmapOp::kShared ? tensor : element(tensor, dim, i, one.nested));
      std::optional<Tensors> single = run(f, inputs);
      for (size_t r = 0; single && r < single->size(); ++r)
        compare(one, i, (*single)[r], element((*results)[r], 0, i, one.nested));
    }
  }

  /// Element i along a dimension; of a nested batch along the first two.
  static Tensor element(const Tensor &tensor, int64_t dim, int64_t i, bool nested) {
    SmallVector<int64_t> shape(tensor.getShape());
    int64_t extent = shape[dim], outer = 1, inner = 1;
    shape.erase(shape.begin() + dim);
    if (nested) {
      extent *= shape[dim];
      shape.erase(shape.begin() + dim);
    }
    for (auto [d, size] : llvm::enumerate(shape))
      (int64_t(d) < dim ? outer : inner) *= size;
    Tensor result(tensor.getElement(), shape);
    size_t bytes = inner * sizeOf(tensor.getElement());
    for (int64_t o = 0; o < outer; ++o)
      std::memcpy(result.getBytes().data() + o * bytes, tensor.getBytes().data() + (o * extent + i) * bytes, bytes);
    return result;
  }

  void compare(const Case &one, int64_t i, const Tensor &expected, const Tensor &got) {
    ++checks;
    if (expected.getElement() == got.getElement() && expected.getShape() == got.getShape() &&
        (expected.getBytes() == got.getBytes() || (rounds && one.named && isClose(expected, got))))
      return;
    fail(one.by + ": element " + std::to_string(i) + " of the batch is not what a run of " + one.of + " gives");
  }

  static bool isClose(const Tensor &a, const Tensor &b) {
    for (int64_t i = 0; i < a.size(); ++i)
      if (!(std::abs(a.at(i) - b.at(i)) <= 1e-13 * (1 + std::abs(a.at(i)))))
        return false;
    return true;
  }

  Tensor random(RankedTensorType type) {
    SmallVector<int64_t> shape;
    for (const Dim &dim : dimsOf(type))
      shape.push_back(dim.substitute(kSizes).constant());
    Tensor tensor(*elementOf(type.getElementType()), shape);
    visitNumber(tensor.getElement(), [&](auto zero) {
      using T = decltype(zero);
      for (int64_t i = 0; i < tensor.size(); ++i) // indices reach outside of [0, 4) on both sides
        tensor.data<T>()[i] =
            lathe::isFloatTensor(type) ? T(std::uniform_real_distribution<>(low, high)(engine)) : T(engine() % 6) - T(1);
      return true;
    });
    return tensor;
  }

  std::optional<Tensors> run(func::FuncOp function, const Tensors &arguments) {
    return interpreted(function, arguments, [&](const std::string &why) { fail(why); });
  }

  /// The first case alone is what the compiler gets.
  void writeForCompiler(ModuleOp module, const std::vector<Case> &cases) {
    OwningOpRef<ModuleOp> copy = module.clone();
    for (auto function : llvm::to_vector(copy->getOps<func::FuncOp>()))
      if (StringRef(cases.front().by) != function.getSymName()) {
        if (SymbolTable::symbolKnownUseEmpty(function, *copy))
          function.erase();
        else
          function.setPrivate();
      }
    path = folder + "/" + name;
    std::replace(path.begin() + folder.size(), path.end(), ' ', '-');
    std::string text;
    llvm::raw_string_ostream(text) << *copy;
    std::ofstream(path + ".mlir") << text;
    entry = cases.front().by;
    dims.clear();
    for (Type type : module.lookupSymbol<func::FuncOp>(entry).getArgumentTypes())
      for (const Dim &dim : dimsOf(cast<RankedTensorType>(type)))
        dim.collectNames(dims);
  }

  void checkCompiled() {
    SmallVector<std::string> arguments = {runner, path + ".mlir", entry, "--random", "--check", "--rtol=1e-9", "--atol=1e-9"};
    for (const std::string &dim : dims)
      arguments.push_back("--dim=" + dim + (dim == "N" ? "=3" : "=2"));
    SmallVector<StringRef> words(arguments.begin(), arguments.end());
    std::string log = path + ".log";
    llvm::sys::fs::remove(log);
    std::optional<StringRef> redirects[] = {"", StringRef(log), StringRef(log)};
    if (llvm::sys::ExecuteAndWait(runner, words, std::nullopt, redirects) == 0)
      return;
    std::ifstream output(log);
    fail("compiled:\n" + std::string(std::istreambuf_iterator<char>(output), {}));
  }

  void fail(const std::string &why) {
    llvm::errs() << name << ": " << why << "\n";
    ++failures;
  }

  MLIRContext &context;
  std::string runner, folder, name, path, entry;
  SmallVector<std::string> dims;
  std::mt19937_64 engine{1};
  double low = 0, high = 0;
  bool rounds = false;
  int counter = 0;
};
} // namespace

int main(int argc, char **argv) {
  if (argc != 3 || llvm::sys::fs::create_directories(argv[2])) {
    llvm::errs() << "usage: vmap-test LATHE-RUN FOLDER\n";
    return 2;
  }
  return runChecks<Checker>(allGraphs(), argv[1], argv[2]);
}
