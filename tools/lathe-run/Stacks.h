// Values of all ranks of a job as one tensor, whose first dimension counts the ranks.
#ifndef LATHE_TOOLS_LATHE_RUN_STACKS_H
#define LATHE_TOOLS_LATHE_RUN_STACKS_H

#include "tools/lathe-run/Runner.h"

/// Returns the number of ranks of a job.
int64_t countRanks(const std::vector<lathe::RankAxis> &axes);

/// Returns the parameters with the ranks as their first dimension.
std::vector<Parameter> stackedParameters(std::vector<Parameter> parameters, int64_t ranks);

/// Joins the values of the ranks. Fails if their shapes differ, which sizes decided by data may cause.
Expected<lathe::Tensor> stack(const std::string &name, llvm::ArrayRef<lathe::Tensor> values);
/// Joins the results of the ranks, which have these parameters.
Expected<Tensors> stackAll(const std::vector<Parameter> &parameters, llvm::ArrayRef<Tensors> byRank);
/// Returns one rank's part of each value. Each value's first dimension counts the ranks.
Tensors partsOf(const Tensors &stacked, int64_t rank);

/// Returns the axes of "4", which is data=4, or "data=2,model=2". Nullopt if the text is something else.
std::optional<std::vector<lathe::RankAxis>> parseRanks(llvm::StringRef text);

#endif
