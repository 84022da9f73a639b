// The application's functions, found in the libraries that the process has loaded.
#include "dialects/Lathe/Interpreter/Evaluate.h"
#include "llvm/Support/DynamicLibrary.h"
#include <array>

using namespace mlir;
using namespace lathe;

namespace {
using Words = ArrayRef<void *>;

/// Calls a C function of `count` pointers.
template <size_t... I>
int32_t callOf(void *function, Words words, std::index_sequence<I...>) {
  return reinterpret_cast<int32_t (*)(decltype(I, static_cast<void *>(nullptr))...)>(function)(words[I]...);
}
template <size_t Count>
int32_t callOf(void *function, Words words) {
  return callOf(function, words, std::make_index_sequence<Count>());
}
template <size_t... Counts>
int32_t call(void *function, Words words, std::index_sequence<Counts...>) {
  constexpr std::array<int32_t (*)(void *, Words), sizeof...(Counts)> calls = {callOf<Counts>...};
  return calls[words.size()](function, words);
}
} // namespace

FailureOr<std::vector<Tensor>> lathe::evaluateExtern(ExternOp op, ArrayRef<const Tensor *> operands,
                                                     std::vector<Tensor> results) {
  std::string symbol = op.getCallee().str();
  void *function = llvm::sys::DynamicLibrary::SearchForAddressOfSymbol(symbol);
  if (!function)
    return op.emitError("no library defines @") << symbol << "; name one that does with --library=FILE.so", failure();
  SmallVector<void *, 2 * kMostExternTensors> words;
  auto add = [&](const Tensor &tensor) {
    words.push_back(const_cast<char *>(tensor.getBytes().data()));
    if (!tensor.getShape().empty())
      words.push_back(const_cast<int64_t *>(tensor.getShape().data()));
  };
  for (const Tensor *operand : operands)
    add(*operand);
  for (const Tensor &result : results)
    add(result);
  if (int32_t status = call(function, words, std::make_index_sequence<2 * kMostExternTensors + 1>()))
    return op.emitError("@") << symbol << " returned status " << status, failure();
  return results;
}
