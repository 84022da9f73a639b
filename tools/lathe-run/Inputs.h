// From the command line to the values of an entry's inputs.
#ifndef LATHE_TOOLS_LATHE_RUN_INPUTS_H
#define LATHE_TOOLS_LATHE_RUN_INPUTS_H

#include "tools/lathe-run/Runner.h"

/// Floats from -1 to 1, integers from 0 to 9, the same ones for a seed everywhere.
lathe::Tensor randomTensor(uint64_t seed, lathe::Element element, llvm::ArrayRef<int64_t> shape);

/// A value for each input as the options say: from files, numbers or at random. Sizes of named dimensions come from --dim and
/// from the files' shapes. Those in `tensors`, by name, have their values already.
Expected<Tensors> makeInputs(const Signature &signature, const RunOptions &options,
                             const std::map<std::string, lathe::Tensor> &tensors = {});

/// The inputs that --const-inputs makes constants, with values as above.
std::shared_ptr<lathe::ConstInputs> makeConstInputs(const RunOptions &options, std::map<std::string, lathe::Tensor> tensors);

/// The value of "@F.npy" or of a number in every element of the shape.
Expected<lathe::Tensor> makeValue(const std::string &name, const std::string &text, lathe::Element element,
                                  llvm::ArrayRef<int64_t> shape);

#endif
