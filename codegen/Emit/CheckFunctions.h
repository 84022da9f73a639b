// What the argument checks of all entries of a module share, once each.
#ifndef LATHE_CODEGEN_EMIT_CHECKFUNCTIONS_H
#define LATHE_CODEGEN_EMIT_CHECKFUNCTIONS_H

#include "codegen/Emit/EntryEmitter.h"

namespace lathe {

enum Status {
  NullArgument = 1,
  Misaligned = 2,
  Dimension = 3,
  WorkspaceTooSmall = 4,
  Overlap = 5,
  CpuTooOld = 6,
  WrongFormat = 9,
  BoundExceeded = 12,
  AssertionFailed = 13,
  NotFinite = 14,
  OutOfRange = 15,
  NoDevice = 16
};

/// A buffer that an entry is given.
struct CheckedBuffer {
  std::string name;
  SourcePlace place;
  unsigned offset, alignment; // of its pointer in the args struct; of what it points to
  bool isWritten;
  llvm::Value *size; // in bytes; negative if 63 bits do not hold it
};

/// What a lathe_error says beside its status.
struct ErrorRecord {
  llvm::Value *line, *column;                    // i32
  llvm::Constant *file, *node;                   // texts; node: null where there is none
  llvm::Value *function, *op, *argument, *other; // texts, null where there is none
  llvm::Value *expected, *actual;
};

/// A record with the place and the names as constants.
ErrorRecord recordAt(EmitContext &emit, const SourcePlace &place, llvm::StringRef function, llvm::StringRef op,
                     llvm::StringRef argument, llvm::Value *other, llvm::Value *expected, llvm::Value *actual);

/// Emits what fills the lathe_error at `error`, unless that is null.
void emitReport(EmitContext &emit, llvm::IRBuilder<> &builder, llvm::Value *error, llvm::Value *status,
                const ErrorRecord &record);

/// Puts the index of an element, `flat` in row-major order, into a lathe_error, if there is one: `void (error *, flat, rank,
/// extents *)`.
llvm::Function *indexFunction(EmitContext &emit);

/// Emits the check of an entry's buffers: none too large, null or misaligned, and none that is written overlaps another. Gives
/// the status, reported if it is not 0.
llvm::Value *emitBufferChecks(EmitContext &emit, llvm::IRBuilder<> &builder, const Signature &signature, llvm::Value *args,
                              llvm::Value *error, llvm::ArrayRef<CheckedBuffer> buffers);

} // namespace lathe

#endif
