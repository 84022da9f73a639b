// Dimensions of several inputs with the same name in a model. ONNX Runtime does not require them to be equal; only its
// operators do. So an import begins with a separate size for each, joins those that operators need to be equal, and is
// repeated.
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

/// True if a dimension has a name; some exporters write "?".
bool hasName(const onnx::TensorShapeProto::Dimension &dimension);

class SharedNames {
public:
  /// A dimension of an input.
  struct Place {
    std::string input;
    int64_t index;
    bool operator==(const Place &) const = default;
  };

  /// Forgets the header's names of dimensions from the last import.
  void beginImport() { identifiers.clear(); }
  /// Returns the first dimension that has the same size as that at `place`, or nullopt if `place` is the first with its name.
  std::optional<Place> ownPlace(llvm::StringRef name, const Place &place);
  /// Records the header's name of the dimension at `place`.
  void note(llvm::StringRef name, const Place &place, llvm::StringRef identifier);
  /// Joins an input's dimensions with the first ones of the same names.
  void joinInput(const onnx::ValueInfoProto &input);
  /// Joins all dimensions of the same name.
  void joinAll();
  /// Joins two dimensions of the header that have one name. Returns true if they were apart.
  bool joinSizes(llvm::StringRef a, llvm::StringRef b);
  /// Joins pairs of sizes that a checked reshape in the module equates. Returns true if there are any.
  bool joinEqual(mlir::ModuleOp module);
  /// Returns for each dimension of the header that is the first with its name the others with that name.
  mlir::DictionaryAttr others(mlir::MLIRContext *context) const;
  /// True if some name stands for several sizes in this import.
  bool hasApart() const;

  /// False once sizes of different names that meet in a broadcasting operator must be equal.
  bool broadcasts = true;

private:
  /// The places of a name in the model's order, and for each the number of the first place with the same size.
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
