// Inputs of a graph that are constants of what is imported, and where their values come from.
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
    std::string name, spelled; // as in the header, and as in the graph
    Element element;
    Dims dims;
  };

  std::set<std::string> names; // of inputs, as in the graph or in the header
  /// Whether an input that is not among `names`, named as in the header, may become a constant where import needs its value.
  std::function<bool(llvm::StringRef name)> isGiven;
  /// Sets the value of an input that is to be a constant; the reason why there is none, empty if there is.
  std::function<std::string(const Input &input, Tensor &value)> valueOf;
  /// What import has made constants, named as in the header.
  std::set<std::string> taken;
};

/// Why a value is none of an input, empty if it is. `what` is the value in that text: "the file".
std::string mismatch(llvm::StringRef what, const Tensor &value, Element element, llvm::ArrayRef<Dim> dims);

/// The value of an input, of its type; f32 stands for bf16, which .npy files lack. The reason why there is none.
std::string takeConstant(const ConstInputs &constants, const ConstInputs::Input &input, Tensor &value);

} // namespace lathe

#endif
