#include "tools/lathe-run/EntrySizes.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/Interpreter/Interpreter.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>

using namespace lathe;

Dims parseShape(llvm::StringRef text) {
  Dims dims;
  while (true) {
    auto [head, rest] = text.split('[');
    if (rest.empty())
      return dims;
    auto [dim, tail] = rest.split(']');
    dims.push_back(dimFromText(dim));
    text = tail;
  }
}

std::vector<int64_t> extentsOf(const lathe_function_info &function, const std::vector<int64_t> &dims) {
  size_t count = 0;
  for (uint32_t i = 0; i < function.argument_count; ++i)
    count += function.arguments[i].rank;
  std::vector<int64_t> extents(count + 1); // never without memory
  function.shapes(dims.data(), extents.data());
  return extents;
}

/// Returns why the inputs' shapes do not determine the size of a dimension: the first extent that does not have the form of its
/// expression, if there is one.
static std::string whyUnsolved(const std::string &name, llvm::ArrayRef<Dims> shapes, llvm::ArrayRef<std::string> arguments,
                               llvm::ArrayRef<llvm::ArrayRef<int64_t>> given) {
  for (auto [shape, argument, extents] : llvm::zip(shapes, arguments, given))
    for (auto [i, dim, extent] : llvm::enumerate(shape, extents))
      if (!dim.isStatic() && llvm::all_of(dim.getTerms(), [&](auto &term) { // a polynomial of this dimension, not a quotient
            return llvm::all_of(term.first, [&](const std::string &factor) { return factor == name; });
          }))
        return fmt::format("dimension {} of '{}' is {}, which is not {} for any size of '{}'", i, argument, extent, dim.str(),
                           name);
  return fmt::format("the inputs do not determine the size of dimension '{0}'; use --dim {0}=SIZE", name);
}

Expected<std::vector<int64_t>> bindSizes(const lathe_function_info &function, const Tensors &inputs,
                                         const std::map<std::string, int64_t> &givenSizes) {
  std::vector<Dims> shapes;
  std::vector<llvm::ArrayRef<int64_t>> given;
  std::vector<std::string> names;
  std::map<std::string, Dim> known(givenSizes.begin(), givenSizes.end());
  for (uint32_t i = 0; i < function.argument_count; ++i)
    if (!function.arguments[i].is_output) {
      Dims &shape = shapes.emplace_back(parseShape(function.arguments[i].type_text));
      for (Dim &dim : shape)
        dim = dim.substitute(known);
      given.push_back(inputs[given.size()].getShape());
      names.push_back(function.arguments[i].name);
    }
  SolvedDims solved = solveDims(shapes, given);
  solved.sizes.insert(givenSizes.begin(), givenSizes.end());
  std::vector<int64_t> dims;
  std::string unsolved;
  for (uint32_t k = 0; k < function.dimension_count; ++k) {
    auto size = solved.sizes.find(function.dimensions[k].name);
    if (size == solved.sizes.end())
      unsolved = whyUnsolved(function.dimensions[k].name, shapes, names, given);
    dims.push_back(size == solved.sizes.end() ? 0 : size->second);
  }
  std::vector<int64_t> extents = extentsOf(function, dims);
  const int64_t *expected = extents.data();
  size_t input = 0;
  for (uint32_t i = 0; i < function.argument_count; expected += function.arguments[i++].rank) {
    if (function.arguments[i].is_output)
      continue;
    llvm::ArrayRef<int64_t> given = inputs[input++].getShape();
    if (given != llvm::ArrayRef<int64_t>(expected, function.arguments[i].rank))
      return Failure{kWrongUsage, std::string("input '") + function.arguments[i].name + "' does not fit " +
                                      function.arguments[i].type_text +
                                      (!unsolved.empty()    ? ": " + unsolved
                                       : givenSizes.empty() ? " with the sizes that other inputs give"
                                                            : " with the sizes that --dim and other inputs give")};
  }
  if (!unsolved.empty())
    return Failure{kWrongUsage, unsolved};
  return dims;
}
