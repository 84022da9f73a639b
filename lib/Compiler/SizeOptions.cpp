#include "lib/Compiler/SizeOptions.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "lib/Support/Text.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/MathExtras.h"
#include <fmt/format.h>

using namespace lathe;

static constexpr int64_t kLargestSize = INT32_MAX;

/// Reads "N=4" or "N=1,8,32". Returns what is wrong, or an empty string.
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

/// Reads "H=32*h". Returns what is wrong, or an empty string.
static std::string readFormula(llvm::StringRef option, CompileOptions &options) {
  auto [left, right] = option.split('=');
  llvm::StringRef name = left.trim();
  std::optional<Dim> dim = dimFromUser(right);
  if (name.empty() || !dim || dim->isStatic())
    return fmt::format("'{}' is neither a size from 0 to {} nor an expression of dimensions such as 32*h, in '{}'", right.str(),
                       kLargestSize, option.str());
  return options.dimFormulas.emplace(name.str(), dim->str()).second ? "" : "'" + name.str() + "' occurs twice";
}

/// Reads "m=1,n". Returns what is wrong, or an empty string.
static std::string readBroadcast(llvm::StringRef option, CompileOptions &options) {
  auto [left, right] = option.split('=');
  auto [one, other] = right.split(',');
  llvm::StringRef name = left.trim();
  std::optional<Dim> dim = dimFromUser(other);
  if (name.empty() || one.trim() != "1" || !dim || dim->isStatic())
    return fmt::format("'{}' is not 1 and another dimension, as in m=1,n, in '{}'", right.str(), option.str());
  return options.dimBroadcasts.emplace(name.str(), dim->str()).second ? "" : "'" + name.str() + "' occurs twice";
}

/// Replaces dimensions that other options express, as H in W=H beside H=32*h. Returns what is wrong, or an empty string.
static std::string resolveFormulas(std::map<std::string, std::string> &formulas) {
  std::map<std::string, Dim> values;
  for (const auto &[name, formula] : formulas)
    if (Dim dim = dimFromText(formula); !llvm::is_contained(namesIn(dim), name)) // H=32*H renames, and so keeps H
      values.emplace(name, dim);
  for (auto &[name, formula] : formulas) {
    Dim dim = dimFromText(formula);
    auto isExpressed = [&](const std::string &part) { return part != name && values.count(part); };
    for (size_t i = 0; i <= formulas.size() && llvm::any_of(namesIn(dim), isExpressed); ++i)
      dim = dim.substitute(values);
    if (llvm::any_of(namesIn(dim), [&](const std::string &part) { return values.count(part); }))
      return "'" + name + "' is expressed by itself";
    formula = dim.str();
  }
  return "";
}

std::string lathe::readSizeOptions(const std::vector<std::string> &dims, const std::vector<std::string> &specialize,
                                   CompileOptions &options) {
  for (const std::string &text : dims) {
    if (llvm::StringRef right = llvm::StringRef(text).split('=').second; llvm::any_of(right, llvm::isAlpha)) {
      bool isBroadcast = right.contains(',') && !right.contains('(');
      if (std::string error = isBroadcast ? readBroadcast(text, options) : readFormula(text, options); !error.empty())
        return "--dim: " + error;
      continue;
    }
    std::string name;
    std::vector<int64_t> sizes;
    if (std::string error = parseSizes(text, name, sizes); !error.empty())
      return "--dim: " + error;
    if (sizes.size() != 1)
      return "--dim: '" + text + "' gives several sizes; --specialize takes a list";
    if (!options.fixedDims.emplace(name, sizes[0]).second)
      return "--dim: '" + name + "' occurs twice";
  }
  for (auto &[name, formula] : options.dimFormulas)
    if (options.fixedDims.count(name) && !llvm::is_contained(namesIn(dimFromText(formula)), name))
      return "--dim: '" + name + "' occurs twice";
  if (std::string error = resolveFormulas(options.dimFormulas); !error.empty())
    return "--dim: " + error;
  for (auto &[name, other] : options.dimBroadcasts)
    if (options.fixedDims.count(name) || options.dimFormulas.count(name))
      return "--dim: '" + name + "' occurs twice";
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

std::string lathe::readStepOptions(const std::vector<std::string> &steps, CompileOptions &options) {
  for (const std::string &text : steps) {
    auto [name, number] = llvm::StringRef(text).rsplit('=');
    if (!llvm::StringRef(text).contains('='))
      std::swap(name, number);
    int64_t most = 0;
    if (number.getAsInteger(10, most) || most < 1 || most > kLargestSize || (name.empty() && text.front() == '='))
      return fmt::format("--max-steps: expected a number from 1 to {}, or OUTPUT=NUMBER, got '{}'", kLargestSize, text);
    if (!options.maxSteps.emplace(name.str(), most).second)
      return fmt::format("--max-steps: {} occurs twice", name.empty() ? "the bound for all loops" : "'" + name.str() + "'");
  }
  return "";
}

/// Reads a number of bytes, such as "500KB". Returns nullopt if it is not one, or not positive.
static std::optional<int64_t> readBytes(llvm::StringRef text) {
  static const std::pair<llvm::StringRef, int64_t> units[] = {
      {"KiB", 1LL << 10}, {"MiB", 1LL << 20}, {"GiB", 1LL << 30}, {"KB", 1000},
      {"MB", 1000000},    {"GB", 1000000000}, {"B", 1},           {"", 1}};
  for (auto [unit, factor] : units) {
    llvm::StringRef number = text.trim();
    if (!number.consume_back(unit))
      continue;
    int64_t bytes = 0;
    if (number.getAsInteger(10, bytes) || bytes < 1 || llvm::MulOverflow(bytes, factor, bytes))
      return std::nullopt;
    return bytes;
  }
  return std::nullopt;
}

std::string lathe::readBudgetOption(const std::string &text, CompileOptions &options) {
  if (text.empty())
    return "";
  auto [size, rest] = llvm::StringRef(text).split(':');
  std::optional<int64_t> bytes = readBytes(size);
  if (!bytes)
    return fmt::format("--mem-budget: '{}' is not a size such as 500KB, 64MB, 1GiB or 65536", size.str());
  options.memoryBudget = *bytes;
  for (auto &[name, sizes] : options.specialize)
    if (!sizes.empty())
      options.budgetSizes[name] = *llvm::max_element(sizes);
  std::set<std::string> given;
  for (llvm::StringRef each : llvm::split(rest, ',')) {
    if (rest.empty())
      break;
    std::string name;
    std::vector<int64_t> sizes;
    if (std::string error = parseSizes(each, name, sizes); !error.empty())
      return "--mem-budget: " + error;
    if (!given.insert(name).second)
      return "--mem-budget: '" + name + "' occurs twice";
    options.budgetSizes[name] = sizes[0];
  }
  return "";
}

std::string lathe::readAxisOptions(const std::vector<std::string> &axes, CompileOptions &options) {
  for (const std::string &text : axes) {
    auto [axis, number] = llvm::StringRef(text).split('=');
    int64_t size = 0;
    if (axis.empty() || toCIdentifier(axis) != axis || number.getAsInteger(10, size) || size < 1)
      return "--axis: expected AXIS=RANKS, such as data=4, got '" + text + "'";
    if (options.fixedDims.count(axis.str()))
      return "--axis: '" + axis.str() + "' is already fixed by --dim";
    if (!options.axes.emplace(axis.str(), size).second)
      return "--axis: '" + axis.str() + "' occurs twice";
  }
  return "";
}

std::string lathe::readShardOptions(const std::vector<std::string> &shards, CompileOptions &options) {
  for (const std::string &text : shards) {
    auto [place, axis] = llvm::StringRef(text).split('@');
    auto [function, dimension] = place.split(':');
    bool isForRanks = text.find('@') != std::string::npos, hasDimension = place.contains(':');
    bool isWrong = function.empty() || dimension.contains(':') || (hasDimension ? dimension.empty() : !isForRanks) ||
                   (isForRanks && (axis.empty() || toCIdentifier(axis) != axis));
    if (isWrong)
      return "--shard: expected FUNCTION:DIM for contexts, or FUNCTION:DIM@AXIS or FUNCTION@AXIS for ranks, got '" + text + "'";
    if (!isForRanks && options.fixedDims.count(dimension.str()))
      return "--shard: '" + dimension.str() + "' is already fixed by --dim";
    bool isNew = isForRanks ? options.rankShards.emplace(function.str(), (dimension + "@" + axis).str()).second
                            : options.shards.emplace(function.str(), dimension.str()).second;
    if (!isNew)
      return fmt::format("--shard: '{}' occurs twice for {}", function.str(), isForRanks ? "ranks" : "contexts");
  }
  // Given for both, each rank's batch is divided again among the contexts of its process.
  for (auto &[function, dimension] : options.shards)
    if (auto other = options.rankShards.find(function); other != options.rankShards.end())
      if (auto [batch, axis] = llvm::StringRef(other->second).split('@'); batch != dimension)
        return fmt::format("--shard: contexts divide '{0}' of '{1}' and ranks '{2}'; expected the same dimension: "
                           "--shard={1}:{0} --shard={1}:{0}@{3}",
                           dimension, function, batch.str(), axis.str());
  return "";
}

std::string lathe::readStateAxisOption(const std::string &text, CompileOptions &options) {
  if (text.empty())
    return "";
  auto [axis, what] = llvm::StringRef(text).split(':');
  if (axis.empty() || (text.find(':') != std::string::npos && what != "parameters"))
    return "--shard-state: expected AXIS or AXIS:parameters, got '" + text + "'";
  if (!options.axes.count(axis.str()))
    return fmt::format("--shard-state: a part of a variable needs a known number of ranks; add --axis={}=RANKS", axis.str());
  options.stateAxis = axis.str();
  options.dividesParameters = !what.empty();
  return "";
}

std::string lathe::readVariableShardOptions(const std::vector<std::string> &shards, CompileOptions &options) {
  for (const std::string &text : shards) {
    auto [pattern, place] = llvm::StringRef(text).rsplit(':');
    auto [number, axis] = place.split('@');
    unsigned dim;
    if (pattern.empty() || axis.empty() || toCIdentifier(axis) != axis || number.getAsInteger(10, dim))
      return "--shard-variable: expected PATTERN:DIM@AXIS, such as *.ffn.w:1@model, got '" + text + "'";
    if (llvm::Expected<llvm::GlobPattern> made = llvm::GlobPattern::create(pattern); !made)
      return "--shard-variable: '" + pattern.str() + "': " + llvm::toString(made.takeError());
    if (!options.axes.count(axis.str()))
      return fmt::format("--shard-variable: a part of a variable needs a known number of ranks; add --axis={}=RANKS",
                         axis.str());
    options.variableShards.push_back(text);
  }
  return "";
}
