#include "tools/lathe-run/Stacks.h"
#include "lib/Support/Text.h"
#include <cstring>

using namespace lathe;

int64_t countRanks(const std::vector<RankAxis> &axes) {
  int64_t count = 1;
  for (const RankAxis &axis : axes)
    count *= axis.size;
  return count;
}

std::vector<Parameter> stackedParameters(std::vector<Parameter> parameters, int64_t ranks) {
  for (Parameter &parameter : parameters) {
    parameter.dims.insert(parameter.dims.begin(), Dim(ranks));
    parameter.counts.clear(); // the ranks' own runners have cut their results
  }
  return parameters;
}

Expected<Tensor> stack(const std::string &name, llvm::ArrayRef<Tensor> values) {
  std::vector<int64_t> shape(values[0].getShape());
  shape.insert(shape.begin(), values.size());
  Tensor all(values[0].getElement(), shape);
  char *to = all.getBytes().data();
  for (const Tensor &value : values) {
    if (value.getShape() != values[0].getShape())
      return Failure{kFailed, "result '" + name + "' has " + listText(value.getShape()) + " on one rank and " +
                                  listText(values[0].getShape()) + " on the first; --ranks cannot show them as one tensor"};
    std::memcpy(to, value.getBytes().data(), value.getBytes().size());
    to += value.getBytes().size();
  }
  return all;
}

Expected<Tensors> stackAll(const std::vector<Parameter> &parameters, llvm::ArrayRef<Tensors> byRank) {
  Tensors all;
  for (size_t i = 0; i < parameters.size(); ++i) {
    Tensors values;
    for (const Tensors &results : byRank)
      values.push_back(results[i]);
    Expected<Tensor> joined = stack(parameters[i].name, values);
    if (auto *failure = std::get_if<Failure>(&joined))
      return *failure;
    all.push_back(std::get<Tensor>(std::move(joined)));
  }
  return all;
}

Tensors partsOf(const Tensors &stacked, int64_t rank) {
  Tensors parts;
  for (const Tensor &all : stacked) {
    Tensor part(all.getElement(), all.getShape().drop_front());
    std::memcpy(part.getBytes().data(), all.getBytes().data() + rank * part.getBytes().size(), part.getBytes().size());
    parts.push_back(std::move(part));
  }
  return parts;
}

std::optional<std::vector<RankAxis>> parseRanks(llvm::StringRef text) {
  constexpr int64_t kMostRanks = 1024; // each is a thread
  std::vector<RankAxis> axes;
  for (llvm::StringRef part : llvm::split(text, ',')) {
    auto [name, size] = part.contains('=') ? part.split('=') : std::pair<llvm::StringRef, llvm::StringRef>("data", part);
    RankAxis axis{name.str(), 0};
    bool isTaken = llvm::any_of(axes, [&](const RankAxis &other) { return other.name == axis.name; });
    if (name.empty() || toCIdentifier(name) != name || isTaken || size.getAsInteger(10, axis.size) || axis.size < 1 ||
        axis.size > kMostRanks || axis.size * countRanks(axes) > kMostRanks)
      return std::nullopt;
    axes.push_back(axis);
  }
  return axes;
}
