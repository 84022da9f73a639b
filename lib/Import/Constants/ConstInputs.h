// Inputs of a graph that import turns into constants, and the source of their values.
#ifndef LATHE_IMPORT_CONSTANTS_CONSTINPUTS_H
#define LATHE_IMPORT_CONSTANTS_CONSTINPUTS_H

#include "dialects/Lathe/IR/Dims.h"
#include "dialects/Lathe/Interpreter/Tensor.h"
#include <functional>
#include <set>
#include <string>

namespace lathe {

struct ConstInputs {
  /// An input as the graph declares it.
  struct Input {
    std::string name, spelled; // the name in the header, and the name in the graph
    Element element;
    Dims dims;
  };

  std::set<std::string> names; // names of inputs, in the graph or in the header
  /// True if an input that is not among `names` may become a constant when import needs its value. `name` is the header's.
  std::function<bool(llvm::StringRef name)> isGiven;
  /// Sets the value of an input that becomes a constant. Returns why there is none, or an empty string.
  std::function<std::string(const Input &input, Tensor &value)> valueOf;
  /// Inputs that import has turned into constants, by their names in the header.
  std::set<std::string> taken;
};

/// Returns why a value does not fit an input, or an empty string. `what` names the value in the message: "the file".
std::string mismatch(llvm::StringRef what, const Tensor &value, Element element, llvm::ArrayRef<Dim> dims);

/// Sets `value` to the value of an input, in its type; f32 is accepted for bf16, which .npy files lack. Returns why there is
/// none, or an empty string.
std::string takeConstant(const ConstInputs &constants, const ConstInputs::Input &input, Tensor &value);

} // namespace lathe

#endif
