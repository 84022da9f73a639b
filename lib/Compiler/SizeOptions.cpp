#include "lib/Compiler/SizeOptions.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>

using namespace lathe;

static constexpr int64_t kLargestSize = INT32_MAX;

/// "N=4" or "N=1,8,32".
static std::string parseSizes(llvm::StringRef text, std::string &name, std::vector<int64_t> &sizes) {
  auto [left, right] = text.split('=');
  if (left.empty() || right.empty())
    return fmt::format("expected NAME=SIZE, got '{}'", text.str());
  name = left.str();
  for (llvm::StringRef part : llvm::split(right, ',')) {
    int64_t size = 0;
    if (part.getAsInteger(10, size) || size < 0 || size > kLargestSize)
      return fmt::format("'{}' is not a size from 0 to {} in '{}'", part.str(), kLargestSize, text.str());
    sizes.push_back(size);
  }
  return "";
}

std::string lathe::readSizeOptions(const std::vector<std::string> &dims, const std::vector<std::string> &specialize,
                                   CompileOptions &options) {
  for (const std::string &text : dims) {
    std::string name;
    std::vector<int64_t> sizes;
    if (std::string error = parseSizes(text, name, sizes); !error.empty())
      return "--dim: " + error;
    if (sizes.size() != 1)
      return "--dim: '" + text + "' gives several sizes; --specialize takes a list";
    if (!options.fixedDims.emplace(name, sizes[0]).second)
      return "--dim: '" + name + "' is given twice";
  }
  for (const std::string &text : specialize) {
    std::string name;
    std::vector<int64_t> sizes;
    if (std::string error = parseSizes(text, name, sizes); !error.empty())
      return "--specialize: " + error;
    std::vector<int64_t> &all = options.specialize[name];
    all.insert(all.end(), sizes.begin(), sizes.end());
  }
  return "";
}

std::string lathe::readShardOptions(const std::vector<std::string> &shards, CompileOptions &options) {
  for (const std::string &text : shards) {
    auto [function, dimension] = llvm::StringRef(text).split(':');
    if (function.empty() || dimension.empty() || dimension.contains(':'))
      return "--shard: expected FUNCTION:DIM, got '" + text + "'";
    if (options.fixedDims.count(dimension.str()))
      return "--shard: '" + dimension.str() + "' has one size, by --dim";
    if (!options.shards.emplace(function.str(), dimension.str()).second)
      return "--shard: '" + function.str() + "' is given twice";
  }
  return "";
}
