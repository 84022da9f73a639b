// Weights in a file beside the object: lathec --weights=extern.
#ifndef LATHE_CODEGEN_EMIT_WEIGHTSFILE_H
#define LATHE_CODEGEN_EMIT_WEIGHTSFILE_H

#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"
#include <string>
#include <vector>

namespace lathe {

/// A file in the safetensors format of the larger constants of a graph, each once. Its header begins with a fingerprint of all
/// that follows, by which entries know their own file. The graph must outlive it.
class WeightsFile {
public:
  /// The place of the fingerprint in the file, and its length; these are letters.
  static constexpr uint64_t kFingerprintPlace = 34, kFingerprintLength = 16;

  /// Lays out the constants of all functions of the graph.
  explicit WeightsFile(mlir::ModuleOp graph);

  bool isEmpty() const { return tensors.empty(); }
  /// Whether a function reads a constant that is in the file.
  bool isReadBy(mlir::Operation *function) const;
  /// Where a constant's bytes are in the file, at a multiple of 64; nullopt of one that is not there.
  std::optional<uint64_t> placeOf(mlir::ElementsAttr value) const;
  uint64_t size() const { return header.size() + dataSize; }
  llvm::StringRef fingerprint() const { return llvm::StringRef(header).substr(kFingerprintPlace, kFingerprintLength); }

  /// The file. It takes the constants from the graph, which cannot be compiled or run any more: memory holds them once.
  std::string take();

private:
  struct StoredTensor {
    std::string name;
    mlir::ElementsAttr value; // null: what fills up to the next place
    uint64_t place, size;     // behind the header
  };
  std::string freeName(llvm::StringRef wanted);
  void add(mlir::ElementsAttr value);
  void writeHeader();

  std::vector<StoredTensor> tensors;
  llvm::DenseMap<mlir::Attribute, uint64_t> places;
  llvm::StringSet<> names;
  llvm::StringMap<unsigned> clashes; // how often a name was wanted again
  std::string header;                // with the eight bytes of its length
  uint64_t dataSize = 0;
};

} // namespace lathe

#endif
