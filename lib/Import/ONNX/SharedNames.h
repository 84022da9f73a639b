// Dimensions of several inputs that a model calls by one name. ONNX Runtime does not ask that they are equal, only its
// operators do. So an import begins with a size of its own for each, joins those that operators need to be equal, and begins
// again.
#ifndef LATHE_IMPORT_ONNX_SHAREDNAMES_H
#define LATHE_IMPORT_ONNX_SHAREDNAMES_H

#include "dialects/Lathe/IR/Dims.h"
#include "lib/Import/ONNX/Tensors.h"
#include "mlir/IR/BuiltinOps.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lathe::onnximport {

/// True if a dimension has a name of the model's; some exporters write "?".
bool hasName(const onnx::TensorShapeProto::Dimension &dimension);

class SharedNames {
public:
  /// A dimension of an input.
  struct Place {
    std::string input;
    int64_t index;
    bool operator==(const Place &) const = default;
  };

  /// Forgets what the dimensions of the last import were called in the header.
  void beginImport() { identifiers.clear(); }
  /// Returns the first of the dimensions that are of one size with that at `place`, nullopt if that is the first with its name.
  std::optional<Place> ownPlace(llvm::StringRef name, const Place &place);
  /// Notes what the dimension at `place` is called in the header.
  void note(llvm::StringRef name, const Place &place, llvm::StringRef identifier);
  /// Gives an input's dimensions the sizes of the first ones with their names.
  void joinInput(const onnx::ValueInfoProto &input);
  /// Makes one size of all that have one name.
  void joinAll();
  /// Makes one size of each two that a checked reshape in the module takes for equal; true if there are any.
  bool joinEqual(mlir::ModuleOp module);
  /// True if some name stands for several sizes in this import.
  bool hasApart() const;

private:
  /// The places of a name in the model's order, and of each the number of the first place with the same size.
  struct Name {
    std::vector<Place> places;
    std::vector<size_t> first;
    void join(size_t a, size_t b);
  };
  struct Use {
    std::string name;
    size_t place;
  };
  size_t indexOf(Name &name, const Place &place);

  std::map<std::string, Name> names;
  std::map<std::string, Use> identifiers; // of open dimensions in the header
  bool isOneEach = false;                 // each name is one size
};

} // namespace lathe::onnximport

#endif
