#include "tools/lathe-run/Runner.h"
#include <cstring>

using namespace lathe;

/// Returns the leading elements of each dimension, as many as `shape` says.
static Tensor trimmed(const Tensor &whole, llvm::ArrayRef<int64_t> shape) {
  Tensor part(whole.getElement(), shape);
  if (!part.size())
    return part;
  int64_t line = shape.back() * sizeOf(whole.getElement()), step = whole.getShape().back() * sizeOf(whole.getElement());
  std::vector<int64_t> place(shape.size() - 1);
  for (char *to = part.getBytes().data(), *end = to + part.getBytes().size(); to != end; to += line) {
    int64_t from = 0;
    for (size_t i = 0; i < place.size(); ++i)
      from = from * whole.getShape()[i] + place[i];
    std::memcpy(to, whole.getBytes().data() + from * step, line);
    for (size_t i = place.size(); i-- > 0 && ++place[i] == shape[i];)
      place[i] = 0;
  }
  return part;
}

Expected<Tensors> Runner::run(const Tensors &inputs, Tensors earlier) {
  Expected<Tensors> outcome = runEntry(inputs, std::move(earlier));
  auto *results = std::get_if<Tensors>(&outcome);
  if (!results)
    return outcome;
  const std::vector<Parameter> &parameters = getSignature().results;
  for (size_t i = 0; i < parameters.size(); ++i) {
    std::vector<int64_t> shape = (*results)[i].getShape().vec();
    for (size_t dim = 0; dim < parameters[i].counts.size(); ++dim)
      if (int count = parameters[i].counts[dim]; count >= 0)
        shape[dim] = std::clamp<int64_t>((*results)[count].data<int64_t>()[0], 0, shape[dim]);
    if (llvm::ArrayRef(shape) != (*results)[i].getShape())
      (*results)[i] = trimmed((*results)[i], shape);
  }
  return outcome;
}

Expected<std::unique_ptr<Runner>> createRunner(const RunOptions &options) {
  if (options.interpret)
    return createInterpreterRunner(options);
  return options.ranks.empty() ? createCompiledRunner(options) : createRanksRunner(options);
}
