// Other schedules that a kernel could have: what a tuner tries.
#ifndef LATHE_CODEGEN_SCHEDULES_CANDIDATES_H
#define LATHE_CODEGEN_SCHEDULES_CANDIDATES_H

#include "dialects/Lathe/IR/Schedules.h"
#include <string>
#include <vector>

namespace lathe {

/// A kernel's name and its candidates, as the lines of a file of schedules have them (codegen/Schedules/Overrides.h).
struct KernelCandidates {
  std::string kernel;
  std::vector<std::string> schedules;
};

/// Collects, for each field of a struct of parameters, the values that a tuner may try instead.
class ParameterAlternatives {
public:
  explicit ParameterAlternatives(mlir::MLIRContext *context) : builder(context) {}

  template <typename Int>
  void operator()(llvm::StringRef name, Int &value, int64_t least, int64_t most) {
    integers(name, value, least, most);
  }
  void operator()(llvm::StringRef name, bool &value) { add(name, builder.getBoolAttr(!value)); }
  void operator()(llvm::StringRef name, llvm::SmallVector<int64_t> &values, int64_t least, int64_t most) {
    list(name, values, least, most);
  }
  template <typename Enum>
  void operator()(llvm::StringRef name, Enum &value, llvm::ArrayRef<llvm::StringLiteral> words) {
    for (size_t i = 0; i < words.size(); ++i)
      if (i != size_t(value))
        add(name, builder.getStringAttr(words[i]));
  }

  /// Returns copies of `chosen` that differ in one field, or in two fields that belong together: the rows and the vectors of a
  /// tile, which share its registers, and the lists NAME and NAME_in, which have an entry each for a value and its place.
  llvm::SmallVector<mlir::DictionaryAttr> around(mlir::DictionaryAttr chosen) const;

private:
  struct Field {
    std::string name;
    llvm::SmallVector<mlir::Attribute> values;
  };

  struct List {
    std::string name;
    llvm::SmallVector<int64_t> values;
    int64_t least;
  };

  void integers(llvm::StringRef name, int64_t value, int64_t least, int64_t most);
  void list(llvm::StringRef name, llvm::ArrayRef<int64_t> values, int64_t least, int64_t most);
  void aroundTiles(mlir::DictionaryAttr chosen, llvm::SmallVectorImpl<mlir::DictionaryAttr> &changed) const;
  void aroundPlaces(mlir::DictionaryAttr chosen, llvm::SmallVectorImpl<mlir::DictionaryAttr> &changed) const;
  void add(llvm::StringRef name, mlir::Attribute value);

  mlir::Builder builder;
  std::vector<Field> fields;
  std::vector<List> lists;
};

/// Returns all single changes to the fields of a struct. Fields that forms would refuse together are among them.
template <typename Parameters>
llvm::SmallVector<mlir::DictionaryAttr> changesOf(mlir::DictionaryAttr chosen, Parameters parameters) {
  ParameterAlternatives alternatives(chosen.getContext());
  parameters.visit(alternatives);
  return alternatives.around(chosen);
}

} // namespace lathe

#endif
