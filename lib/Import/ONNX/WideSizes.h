// Sizes of a model's inputs that broadcast to one another: whether they are equal or one of them is 1 is known at run time
// only.
#ifndef LATHE_IMPORT_ONNX_WIDESIZES_H
#define LATHE_IMPORT_ONNX_WIDESIZES_H

#include "dialects/Lathe/IR/Dims.h"
#include "llvm/ADT/ArrayRef.h"
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lathe::onnximport {

class WideSizes {
public:
  /// Records that `dim` is 1 or `to`, as `--dim=m=1,n` declares.
  void declare(const Dim &dim, const Dim &to) { declared[dim.str()] = to; }
  /// Records an open size of an input. `modelName` is its name in the model, empty if it has none.
  void add(const std::string &identifier, const std::string &modelName);

  /// Returns the size to which two sizes that are not 1 as written broadcast, or nullopt if they must be equal. Sizes of the
  /// same name in the model must be equal. Others broadcast only if `areOpen`.
  std::optional<Dim> join(const Dim &a, const Dim &b, bool areOpen);
  bool isDeclared(const Dim &dim, const Dim &to) const;
  /// True if `dim` can be 1 where `to` is not.
  bool broadcasts(const Dim &dim, const Dim &to) const;
  /// Returns the size to which `dim` and the other sizes in `to` broadcast. It is `to` for all sizes that the entry accepts.
  Dim from(const Dim &dim, const Dim &to) const;
  /// Returns pairs of sizes with one name that met, so that they must be one size from the beginning.
  llvm::ArrayRef<std::pair<std::string, std::string>> equalNames() const { return equal; }
  bool hasJoined() const { return !joined.empty() || !numbers.empty(); }
  /// Returns lists of sizes that broadcast with one another, at least two each: the number first, if there is one, then names.
  mlir::ArrayAttr groups(mlir::MLIRContext *context) const;

private:
  using Names = std::vector<size_t>; // numbers in `sizes`, in order

  /// Returns the names that broadcast to this size; empty for other sizes.
  Names namesOf(const Dim &dim) const;
  /// Returns the size to which the names of both sizes broadcast, or nullopt if they must be equal.
  std::optional<Dim> joinNames(const Dim &a, const Names &left, const Dim &b, const Names &right);
  /// Returns the size to which these names broadcast after `first`.
  Dim broadcast(Dim first, const Names &names) const;

  std::vector<std::pair<std::string, std::string>> sizes; // identifiers, with the model's names
  std::map<std::string, Names> joined;                    // results of join over names, as text
  std::set<std::pair<size_t, int64_t>> numbers;           // names that broadcast to a number
  std::map<std::string, Dim> declared;
  std::vector<std::pair<std::string, std::string>> equal;
};

} // namespace lathe::onnximport

#endif
