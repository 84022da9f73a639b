#include "codegen/Points/RowPlan.h"
#include "codegen/Points/Reduction.h"
#include "lib/Analysis/Recomputation.h"
#include "lib/Analysis/ReductionLevels.h"
#include "lib/Support/SourcePlace.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>

using namespace mlir;
using namespace lathe;

FailureOr<RowPlan> RowPlan::of(const RowKernel &rows, const PassSchedule &schedule, int64_t ownBytes) {
  std::string why;
  if (std::optional<RowPlan> plan = tryOf(rows, schedule, ownBytes, why))
    return std::move(*plan);
  KernelOp kernel = rows.kernel;
  return kernel.emitError(why), failure();
}

std::optional<RowPlan> RowPlan::tryOf(const RowKernel &kernel, const PassSchedule &schedule, int64_t ownBytes,
                                      std::string &why) {
  RowPlan plan(kernel);
  why = plan.setPasses(schedule);
  if (why.empty())
    why = plan.setOrder(schedule);
  if (why.empty())
    why = plan.setBuffers(schedule, ownBytes);
  if (why.empty())
    why = plan.findOverwrite(schedule);
  return why.empty() ? std::optional(std::move(plan)) : std::nullopt;
}

/// Divides the reductions and the results into passes.
std::string RowPlan::setPasses(const PassSchedule &schedule) {
  if (schedule.reduceIn.size() != reductions.size())
    return fmt::format("a schedule with 'reduce_in' for {} reductions; the kernel has {}", schedule.reduceIn.size(),
                       reductions.size());
  if (schedule.storeIn.size() != roots.size())
    return fmt::format("a schedule with 'store_in' for {} results; the kernel has {}", schedule.storeIn.size(), roots.size());
  int64_t last = 0;
  for (const SmallVector<int64_t> &list : {schedule.reduceIn, schedule.storeIn})
    for (int64_t pass : list)
      last = std::max(last, pass);
  passes.resize(last + 1);
  for (auto [reduction, number] : llvm::zip_equal(reductions, schedule.reduceIn)) {
    RowPass &pass = passes[number];
    unsigned bytes = bytesOfOrderedSum(reduction);
    if (bytes && pass.sumBytes && bytes != pass.sumBytes)
      return fmt::format(
          "a schedule with 'reduce_in' {} for sums of {} and of {} bytes; expected passes of their own: the order "
          "of a sum depends only on types and positions",
          number, pass.sumBytes, bytes);
    pass.sumBytes = std::max(pass.sumBytes, bytes);
    pass.reductions.push_back(reduction);
  }
  for (auto [result, number] : llvm::enumerate(schedule.storeIn)) {
    if (isFull(roots[result]) != (number >= 0))
      return fmt::format("a schedule with 'store_in' {} for result {}; expected {}", number, result,
                         number < 0 ? "a pass, because it has the shape of rows"
                                    : "-1, because it has one element per row, which is stored after the passes");
    if (number >= 0)
      passes[number].stores.push_back(result);
  }
  for (auto [number, pass] : llvm::enumerate(passes))
    if (pass.reductions.empty() && pass.stores.empty())
      return fmt::format("a schedule with {} passes, of which pass {} neither reduces nor stores", passes.size(), number);
  return {};
}

/// Finds the first pass that can read each value, and refuses passes that read it earlier.
std::string RowPlan::setOrder(const PassSchedule &schedule) {
  unsigned reduction = 0;
  for (NestOp nest : nests) {
    unsigned first = 0;
    for (Value input : tensorsReadBy(nest))
      first = std::max(first, earliest.lookup(input));
    if (nest.getReduction() != NestReduction::None) {
      unsigned pass = schedule.reduceIn[reduction++];
      if (pass < first)
        return fmt::format(
            "a schedule with 'reduce_in' {} for value {}; expected at least {}, because it depends on a reduction "
            "of pass {}",
            pass, numberOf(nest), first, first - 1);
      first = pass + 1;
    }
    earliest[nest.getResult()] = first;
  }
  for (auto [result, pass] : llvm::enumerate(schedule.storeIn))
    if (int64_t first = earliest.lookup(roots[result]); pass >= 0 && pass < first)
      return fmt::format(
          "a schedule with 'store_in' {} for result {}; expected at least {}, because it depends on a reduction of "
          "pass {}",
          pass, result, first, first - 1);
  return {};
}

/// Places the kept values.
std::string RowPlan::setBuffers(const PassSchedule &schedule, int64_t ownBytes) {
  if (schedule.keep.size() != schedule.keepIn.size())
    return fmt::format("a schedule with 'keep' for {} values and 'keep_in' for {}", schedule.keep.size(),
                       schedule.keepIn.size());
  DenseMap<Operation *, RowBuffer> wanted;
  for (auto [number, result] : llvm::zip_equal(schedule.keep, schedule.keepIn)) {
    if (number >= int64_t(nests.size()) || !llvm::is_contained(fullNests, nests[number]))
      return fmt::format("a schedule that keeps value {}; expected an elementwise value with the shape of rows", number);
    if (result >= int64_t(roots.size()))
      return fmt::format("a schedule that keeps value {} in result {}; the kernel has {} results", number, result,
                         roots.size());
    std::optional<unsigned> in = result < 0 ? std::nullopt : std::optional<unsigned>(result);
    if (!wanted.try_emplace(nests[number], RowBuffer{nests[number], in}).second)
      return fmt::format("a schedule that keeps value {} twice", number);
  }
  std::string fault;
  needs = needsOf(passes, [&](NestOp value, const std::set<unsigned> &needed) {
    auto found = wanted.find(value);
    if (found == wanted.end())
      return false;
    buffers.push_back(found->second);
    passes[*needed.begin()].keeps.push_back(value);
    if (needed.size() < 2 && fault.empty())
      fault = fmt::format("a schedule that keeps value {}, which only pass {} needs", numberOf(value), *needed.begin());
    return true;
  });
  for (NestOp value : fullNests)
    if (wanted.count(value) && needs.lookup(value.getResult()).empty())
      fault = fmt::format("a schedule that keeps value {}, which no pass needs", numberOf(value));
  int64_t bytes = 0;
  for (const RowBuffer &buffer : buffers) {
    if (fault.empty())
      fault = findFault(buffer, schedule);
    if (!fault.empty())
      return fault;
    bytes += buffer.result ? 0 : *rowBytes(buffer.value->getResult(0));
    if (isOwnResult(buffer)) // the pass that keeps the value also stores the result
      llvm::erase(passes[schedule.storeIn[*buffer.result]].stores, *buffer.result);
  }
  if (bytes > ownBytes)
    return fmt::format("a schedule that keeps {} bytes of each row outside of results; expected at most {}", bytes, ownBytes);
  for (RowPass &pass : passes)
    std::reverse(pass.keeps.begin(), pass.keeps.end());
  return {};
}

/// Returns why a value cannot live in this buffer; empty if it can.
std::string RowPlan::findFault(const RowBuffer &buffer, const PassSchedule &schedule) const {
  NestOp value = buffer.value;
  const std::set<unsigned> &needed = needs.find(value.getResult())->second;
  std::string kept = fmt::format("a schedule that keeps value {}", numberOf(value));
  if (!buffer.result)
    return rowSize() ? std::string() : kept + " outside of results; expected rows of a size that is known at compile time";
  unsigned result = *buffer.result;
  Value root = roots[result];
  kept += fmt::format(" in result {}", result);
  if (!isFull(root) || getElementTypeOrSelf(root.getType()) != getElementTypeOrSelf(value.getResult().getType()))
    return kept + "; expected a result of the same shape and element type";
  if (llvm::count_if(buffers, [&](const RowBuffer &other) { return other.result == result; }) > 1)
    return kept + ", which keeps another value too";
  int64_t stored = schedule.storeIn[result];
  if (isOwnResult(buffer))
    return stored == *needed.begin() ? std::string()
                                     : kept + fmt::format(", which it is itself, so that pass {} stores it; 'store_in' is {}",
                                                          *needed.begin(), stored);
  return stored >= *needed.rbegin()
             ? std::string()
             : kept + fmt::format(", which pass {} overwrites; pass {} needs the value", stored, *needed.rbegin());
}

/// Returns which result overwrites an input that a later pass reads; empty if there is none. The plan may give a result of the
/// last level the buffer of an input that dies.
std::string RowPlan::findOverwrite(const PassSchedule &schedule) const {
  unsigned lastRead = 0;
  for (Value argument : KernelOp(kernel).getBody().getArguments())
    if (auto found = needs.find(argument); isFull(argument) && found != needs.end())
      lastRead = std::max(lastRead, *found->second.rbegin());
  for (unsigned result = 0; result < roots.size(); ++result) {
    if (!mayOverwriteInput(result))
      continue;
    unsigned written = schedule.storeIn[result];
    for (const RowBuffer &buffer : buffers)
      if (buffer.result == result)
        written = *needs.find(buffer.value->getResult(0))->second.begin();
    if (written < lastRead)
      return fmt::format(
          "a schedule that writes result {} in pass {}, although it may have the memory of an input that pass {} "
          "reads",
          result, written, lastRead);
  }
  return {};
}

/// Returns "value 3 of line 7".
static std::string textOfValue(const RowKernel &kernel, NestOp nest) {
  return fmt::format("value {} of line {}", kernel.numberOf(nest), sourcePlace(nest->getLoc()).line);
}

std::string RowPlan::describe(bool inRegisters) const {
  SmallVector<std::string> parts;
  for (auto [number, pass] : llvm::enumerate(passes)) {
    SmallVector<std::string> work;
    for (NestOp reduction : pass.reductions)
      work.push_back("reduces to " + textOfValue(*this, reduction));
    for (unsigned result : pass.stores)
      work.push_back(fmt::format("stores result {}", result));
    for (NestOp value : pass.keeps) {
      const RowBuffer &buffer = *llvm::find_if(buffers, [&](const RowBuffer &each) { return each.value == value; });
      work.push_back("keeps " + textOfValue(*this, value) +
                     (buffer.result ? fmt::format(" in result {}", *buffer.result) : ""));
    }
    parts.push_back(fmt::format("pass {} {}", number, llvm::join(work, ", ")));
  }
  if (inRegisters)
    parts.push_back("values stay in registers");
  for (NestOp value : inRegisters ? ArrayRef<NestOp>() : ArrayRef(fullNests)) {
    std::set<unsigned> needed = passesOf(value);
    if (!isKept(value) && needed.size() > 1 && pointCost(value) > 0)
      parts.push_back(fmt::format("{} is computed in passes {}", textOfValue(*this, value),
                                  llvm::join(llvm::map_range(needed, [](unsigned n) { return std::to_string(n); }), ", ")));
  }
  return llvm::join(parts, "; ");
}
