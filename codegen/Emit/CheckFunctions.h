// Functions that the argument checks of all entries of a module share.
#ifndef LATHE_CODEGEN_EMIT_CHECKFUNCTIONS_H
#define LATHE_CODEGEN_EMIT_CHECKFUNCTIONS_H

#include "codegen/Emit/EntryEmitter.h"
#include "lathe/runtime.h"

namespace lathe {

/// The statuses that generated code returns.
enum Status {
  NullArgument = LATHE_ERROR_NULL_ARGUMENT,
  Misaligned = LATHE_ERROR_MISALIGNED,
  Dimension = LATHE_ERROR_DIMENSION,
  WorkspaceTooSmall = LATHE_ERROR_WORKSPACE_TOO_SMALL,
  Overlap = LATHE_ERROR_OVERLAP,
  CpuTooOld = LATHE_ERROR_CPU_TOO_OLD,
  WrongFormat = LATHE_ERROR_FORMAT,
  BoundExceeded = LATHE_ERROR_BOUND,
  AssertionFailed = LATHE_ERROR_ASSERT,
  NotFinite = LATHE_ERROR_NOT_FINITE,
  OutOfRange = LATHE_ERROR_OUT_OF_RANGE,
  NoDevice = LATHE_ERROR_NO_DEVICE,
  Comm = LATHE_ERROR_COMM
};

/// A buffer that the caller passes to an entry.
struct CheckedBuffer {
  std::string name;
  SourcePlace place;
  unsigned offset, alignment; // of the pointer in the args struct; of the memory that it points to
  bool isWritten;
  llvm::Value *size; // in bytes; negative if it does not fit 63 bits
};

/// The contents of a lathe_error without its status.
struct ErrorRecord {
  llvm::Value *line, *column;                    // i32
  llvm::Constant *file, *node;                   // texts; node is null if there is none
  llvm::Value *function, *op, *argument, *other; // texts; null if there is none
  llvm::Value *expected, *actual;
};

/// Returns a record whose place and names are constants.
ErrorRecord recordAt(EmitContext &emit, const SourcePlace &place, llvm::StringRef function, llvm::StringRef op,
                     llvm::StringRef argument, llvm::Value *other, llvm::Value *expected, llvm::Value *actual);

/// Emits code that fills the lathe_error at `error`, unless that is null.
void emitReport(EmitContext &emit, llvm::IRBuilder<> &builder, llvm::Value *error, llvm::Value *status,
                const ErrorRecord &record);

/// Returns the function `void (error *, flat, rank, extents *)`. It stores the index of an element, `flat` in row-major order,
/// in a lathe_error unless that is null.
llvm::Function *indexFunction(EmitContext &emit);

/// Emits the check of an entry's buffers: none may be too large, null or misaligned, and none that is written may overlap
/// another. Returns the status, which the check has reported if it is not 0.
llvm::Value *emitBufferChecks(EmitContext &emit, llvm::IRBuilder<> &builder, const Signature &signature, llvm::Value *args,
                              llvm::Value *error, llvm::ArrayRef<CheckedBuffer> buffers);

} // namespace lathe

#endif
