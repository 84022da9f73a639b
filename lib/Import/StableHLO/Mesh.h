// The devices for which a program is written, and the blocks of arrays that they hold.
#ifndef LATHE_IMPORT_STABLEHLO_MESH_H
#define LATHE_IMPORT_STABLEHLO_MESH_H

#include "dialects/StableHLO/Shardy.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/SymbolTable.h"

namespace lathe::hloimport {

/// An axis of a mesh. Device d has the index (d / stride) % size along it.
struct MeshAxis {
  std::string name;
  int64_t size, stride;
};

/// The devices of a program: a grid of named axes without those of one device, whose last axis counts fastest in the numbers of
/// devices. A program for one device has no axes. Each device is a rank of Lathe, and each axis an axis of its collectives.
struct Mesh {
  /// Reads the program's meshes and its numbers of replicas and partitions.
  explicit Mesh(mlir::ModuleOp source);

  /// Returns the axis of the name; null if there is none, or only one of one device.
  const MeshAxis *find(llvm::StringRef name) const;
  /// Returns the number of devices.
  int64_t size() const;

  llvm::SmallVector<MeshAxis> axes;
  bool isReplicas = false; // devices are numbered by replica_id, not by partition_id
  std::string problem;     // why these devices cannot be ranks; empty if they can
};

/// The axes that divide each dimension of a value, the one that counts slowest first.
using Division = llvm::SmallVector<llvm::SmallVector<const MeshAxis *, 1>>;

/// Returns the divisions of the operands or results of a sdy.manual_computation, without axes that it does not make manual;
/// nullopt if the attribute cannot be read or names no mesh of the program.
std::optional<llvm::SmallVector<Division>> divisionsOf(mlir::Operation *manual, llvm::StringRef attribute, const Mesh &mesh);

/// True if a value is divided at all.
bool isDivided(const Division &division);

/// Returns the type of a device's block of a value; null if an extent is not a multiple of its number of blocks.
mlir::RankedTensorType blockOf(mlir::RankedTensorType whole, const Division &division);

/// The values of a program of which a rank has its block only.
using Blocks = llvm::DenseMap<mlir::Value, Division>;

/// Finds the values that nothing but manual computations read and make, all with one division, and what passes on such values
/// unchanged: calls, and annotations. So an array that an entry's caller gives to a manual computation, or gets from one, is
/// the rank's block of it.
Blocks findBlocks(mlir::ModuleOp source, const Mesh &mesh, const mlir::SymbolTable &symbols);

} // namespace lathe::hloimport

#endif
