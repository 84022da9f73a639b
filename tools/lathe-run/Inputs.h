// Creates the values of an entry's inputs from the command line.
#ifndef LATHE_TOOLS_LATHE_RUN_INPUTS_H
#define LATHE_TOOLS_LATHE_RUN_INPUTS_H

#include "tools/lathe-run/Runner.h"

/// Returns floats from -1 to 1 or integers from 0 to 9. A seed gives the same numbers on every machine.
lathe::Tensor randomTensor(uint64_t seed, lathe::Element element, llvm::ArrayRef<int64_t> shape);

/// Returns a value for each input: from files, from numbers or at random. Sizes of named dimensions come from --dim and from
/// the files' shapes. Inputs in `tensors`, by name, have their values already.
Expected<Tensors> makeInputs(const Signature &signature, const RunOptions &options,
                             const std::map<std::string, lathe::Tensor> &tensors = {});

/// Returns the inputs that --const-inputs makes constants, with values as above.
std::shared_ptr<lathe::ConstInputs> makeConstInputs(const RunOptions &options, std::map<std::string, lathe::Tensor> tensors);

/// Returns the contents of "@F.npy", or a tensor with a number in every element.
Expected<lathe::Tensor> makeValue(const std::string &name, const std::string &text, lathe::Element element,
                                  llvm::ArrayRef<int64_t> shape);

#endif
