// The passes over a row of a row kernel, and the values that one pass keeps for later ones, as the kernel's schedule says.
//
// A pass computes all values that it needs, unless an earlier pass has kept them. The buffer of a kept value is a result of the
// same shape, which is written later or is the value itself, or memory of the kernel's own: the stack, or shared memory.
#ifndef LATHE_CODEGEN_POINTS_ROWPLAN_H
#define LATHE_CODEGEN_POINTS_ROWPLAN_H

#include "codegen/Points/RowKernel.h"

namespace lathe {

/// The part of a row kernel's schedule that all machines share.
struct PassSchedule {
  llvm::SmallVector<int64_t> reduceIn; // the pass in which each reduction runs
  llvm::SmallVector<int64_t> storeIn;  // the pass that stores each result; -1: after the passes, one element per row
  llvm::SmallVector<int64_t> keep;     // values that the first pass that needs them keeps for later ones, by number
  llvm::SmallVector<int64_t> keepIn;   // the result whose memory holds each of these; -1: memory of the kernel's own

  template <typename Visitor>
  void visit(Visitor &visitor) {
    visitor("reduce_in", reduceIn, 0, kMostPasses - 1);
    visitor("store_in", storeIn, -1, kMostPasses - 1);
    visitor("keep", keep, 0, kMostValues);
    visitor("keep_in", keepIn, -1, kMostValues);
  }

  static constexpr int64_t kMostPasses = 1024, kMostValues = 1 << 20; // more than any graph has
};

/// The buffer of a value between passes: a result of the kernel, or memory of the kernel's own.
struct RowBuffer {
  NestOp value;
  std::optional<unsigned> result;
};

class RowPlan : public RowKernel {
public:
  /// Returns the plan of a schedule. Fails with a diagnostic if code cannot follow the schedule.
  /// `ownBytes` is the most memory of the kernel's own that a row may take.
  static mlir::FailureOr<RowPlan> of(const RowKernel &kernel, const PassSchedule &schedule, int64_t ownBytes);
  /// The same without diagnostics: returns nullopt and sets `why` to what is wrong with the schedule.
  static std::optional<RowPlan> tryOf(const RowKernel &kernel, const PassSchedule &schedule, int64_t ownBytes,
                                      std::string &why);

  std::vector<RowPass> passes;
  std::vector<RowBuffer> buffers; // readers before the values that they read

  /// True if the buffer is the result that has this value.
  bool isOwnResult(const RowBuffer &buffer) const {
    return buffer.result && roots[*buffer.result] == buffer.value->getResult(0);
  }
  /// True if all reductions that a value depends on have run before this pass.
  bool isKnownBefore(mlir::Value value, unsigned pass) const { return earliest.lookup(value) <= pass; }
  /// Returns the passes that compute a full value, or read it from its buffer.
  std::set<unsigned> passesOf(NestOp value) const { return needs.lookup(value->getResult(0)); }
  bool isKept(NestOp value) const {
    return llvm::any_of(buffers, [&](const RowBuffer &buffer) { return buffer.value == value; });
  }
  /// Returns one line of text for users: what the passes do, and which values they keep and which they compute again. If all
  /// values of a row are in registers, none is computed again.
  std::string describe(bool inRegisters) const;

private:
  explicit RowPlan(const RowKernel &kernel) : RowKernel(kernel) {}
  // Each of these sets a part of the plan and returns what is wrong with the schedule; empty if nothing is.
  std::string setPasses(const PassSchedule &schedule);
  std::string setOrder(const PassSchedule &schedule);
  std::string setBuffers(const PassSchedule &schedule, int64_t ownBytes);
  std::string findFault(const RowBuffer &buffer, const PassSchedule &schedule) const;
  std::string findOverwrite(const PassSchedule &schedule) const;

  llvm::DenseMap<mlir::Value, unsigned> earliest; // the first pass that can read a value
  Needs needs;                                    // the passes that need a full value or an input
};

/// Chooses the passes and the kept values of a row kernel, which may keep this many bytes of a row in memory of its own.
PassSchedule choosePasses(const RowKernel &kernel, int64_t ownBytes);

/// Returns the schedule for rows whose values are all in registers: only results that several passes need are kept, which are
/// stored early.
PassSchedule passesInRegisters(const RowKernel &kernel, PassSchedule schedule);

} // namespace lathe

#endif
