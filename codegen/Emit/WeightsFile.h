// Weights in a file beside the object (lathec --weights=extern).
#ifndef LATHE_CODEGEN_EMIT_WEIGHTSFILE_H
#define LATHE_CODEGEN_EMIT_WEIGHTSFILE_H

#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"
#include <string>
#include <vector>

namespace lathe {

/// A safetensors file of the larger constants of a graph, each stored once. Its header begins with a fingerprint of the rest of
/// the file, by which entries recognise it. The graph must outlive this object.
class WeightsFile {
public:
  /// Offset and length of the fingerprint in the file; it consists of letters and digits.
  static constexpr uint64_t kFingerprintPlace = 34, kFingerprintLength = 16;

  /// Lays out the constants of all functions of the graph.
  explicit WeightsFile(mlir::ModuleOp graph);

  bool isEmpty() const { return tensors.empty(); }
  /// True if a function reads a constant that is in the file.
  bool isReadBy(mlir::Operation *function) const;
  /// Returns the offset of a constant's bytes in the file, a multiple of 64; nullopt if the constant is not there.
  std::optional<uint64_t> placeOf(mlir::ElementsAttr value) const;
  uint64_t size() const { return header.size() + dataSize; }
  llvm::StringRef fingerprint() const { return llvm::StringRef(header).substr(kFingerprintPlace, kFingerprintLength); }

  /// Returns the file. Frees the constants in the graph, which cannot be compiled or run any more, so that memory holds them
  /// once.
  std::string take();

private:
  struct StoredTensor {
    std::string name;
    mlir::ElementsAttr value; // null for padding
    uint64_t place, size;     // offset after the header
  };
  std::string freeName(llvm::StringRef wanted);
  void add(mlir::ElementsAttr value);
  void writeHeader();

  std::vector<StoredTensor> tensors;
  llvm::DenseMap<mlir::Attribute, uint64_t> places;
  llvm::StringSet<> names;
  llvm::StringMap<unsigned> clashes; // number of further requests for a name
  std::string header;                // including the eight bytes of its length
  uint64_t dataSize = 0;
};

} // namespace lathe

#endif
