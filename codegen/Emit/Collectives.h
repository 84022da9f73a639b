// Collectives in a version's code, and the agreement of the ranks before an entry with collectives begins.
#ifndef LATHE_CODEGEN_EMIT_COLLECTIVES_H
#define LATHE_CODEGEN_EMIT_COLLECTIVES_H

#include "codegen/Emit/VersionFrame.h"

namespace lathe {

/// True if a function has collectives.
bool hasCollectives(mlir::func::FuncOp function);

/// Emits the check that the context's ranks are as many as the entry's dimensions say, and that all of them call the same
/// entry with the same sizes. Leaves the builder in the block where that is so. `error` is the lathe_error of the call.
void emitRankChecks(EmitContext &emit, const Signature &signature, llvm::IRBuilder<> &builder, llvm::Value *context,
                    llvm::Value *error, const Version &general, const std::map<std::string, llvm::Value *> &dims);

/// Emits a test whether the context has a communicator with the collective's axis that takes buffers in the memory of the
/// context's device.
llvm::Value *emitTakesDeviceMemory(VersionFrame &frame, KernelOp kernel);

/// Emits a collective, its start or the wait for its end, between these buffers: of the host's memory, or of the device's where
/// emitTakesDeviceMemory holds. Returns the status,
/// which the communicator has reported in the error record if it is not 0.
llvm::Value *emitCollective(VersionFrame &frame, KernelOp kernel, llvm::ArrayRef<llvm::Value *> buffers, unsigned row);

} // namespace lathe

#endif
