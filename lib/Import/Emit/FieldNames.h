// The names of inputs, results and sizes of an imported program in the generated header.
#ifndef LATHE_IMPORT_EMIT_FIELDNAMES_H
#define LATHE_IMPORT_EMIT_FIELDNAMES_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <string>

namespace lathe {

/// Makes unique field names of an entry's struct.
class FieldNames {
public:
  /// Reserves the fields that all structs have, and those for weights in a file if there are any.
  explicit FieldNames(bool hasWeightsFile);
  /// Returns a C identifier that is not a keyword and not yet taken: x, x_, x_2, x_3 for the suffix `_`. A name that begins
  /// with a digit gets the prefix.
  std::string take(llvm::StringRef name, llvm::StringRef suffix, llvm::StringRef prefix = "_");

private:
  llvm::StringSet<> fields;
  llvm::StringMap<unsigned> clashes; // how often a name was requested again
};

} // namespace lathe

#endif
