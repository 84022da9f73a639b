// Inline PTX for what NVVM's dialect lacks, or where LLVM's registers would be wrong. A k-slice's products are one block of
// text:
//
//   wgmma.fence; for step of 32 bytes of the depth: add.s64 descriptors; wgmma.mma_async {lathe_sum0, ...}, lhs, rhs
//   wgmma.commit_group
//
// The accumulators are PTX registers that the text declares itself, since wgmma writes them while later instructions run.
#include "codegen/GPU/Hopper/Instructions.h"
#include "codegen/GPU/Hopper/Matrix.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

constexpr unsigned kGroupRows = 64, kWords = 4; // rows of one wgmma; words of lhs per lane
// Names of the registers: the accumulators of wgmma and, for split f32, the totals of all k-slices.
constexpr llvm::StringLiteral kSum = "lathe_sum", kTotal = "lathe_total";

/// Emits inline PTX that is neither moved nor removed, and that comes after all earlier writes of the thread.
Value Instructions::run(StringRef text, StringRef constraints, ValueRange arguments, Type result) {
  std::string all = constraints.empty() ? "~{memory}" : (constraints + ",~{memory}").str();
  TypeRange results = result ? TypeRange(result) : TypeRange();
  auto made = LLVM::InlineAsmOp::create(frame.b, frame.loc, results, arguments, text, all, /*has_side_effects=*/true,
                                        /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
                                        LLVM::AsmDialectAttr(), ArrayAttr());
  return result ? made.getRes() : Value();
}

void Instructions::makeBarrier(Value barrier, unsigned arrivals) {
  run("mbarrier.init.shared::cta.b64 [$0], $1;", "r,r", {barrier, frame.number(arrivals)});
}

void Instructions::publishBarriers() { run("fence.mbarrier_init.release.cluster;", "", {}); }

void Instructions::arrive(Value barrier) { run("mbarrier.arrive.shared::cta.b64 _, [$0];", "r", barrier); }

void Instructions::arriveExpecting(Value barrier, unsigned bytes) {
  run("mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", "r,r", {barrier, frame.number(bytes)});
}

void Instructions::publishShared() { run("fence.proxy.async.shared::cta;", "", {}); }

void Instructions::barrier(unsigned threads) {
  constexpr unsigned kNumber = 1; // 0 is the barrier of all threads
  run("barrier.cta.sync $0, $1;", "n,n", {frame.number(kNumber), frame.number(int32_t(threads))});
}

void Instructions::wait(Value barrier, Value parity) {
  run("{\n"
      ".reg .pred ended;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 ended, [$0], $1;\n"
      "@!ended bra again;\n"
      "}",
      "r,r", {barrier, parity});
}

void Instructions::copyBox(Value to, Value map, ArrayRef<Value> places, Value barrier) {
  std::string rank = std::to_string(places.size()), numbers, constraints = "r,l,r";
  SmallVector<Value> arguments = {to, map, barrier};
  for (Value place : places) {
    numbers += (numbers.empty() ? "$" : ", $") + std::to_string(arguments.size());
    constraints += ",r";
    arguments.push_back(place);
  }
  run("cp.async.bulk.tensor." + rank + "d.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1, {" + numbers +
          "}], [$2];",
      constraints, arguments);
}

void Instructions::setRegisters(unsigned count, bool isMore) {
  auto action = isMore ? NVVM::SetMaxRegisterAction::increase : NVVM::SetMaxRegisterAction::decrease;
  NVVM::SetMaxRegisterOp::create(frame.b, frame.loc, count, action);
}

GroupSums::GroupSums(Instructions &instructions, unsigned columns, Type element, bool isSplit)
    : instructions(instructions), frame(instructions.frame), columns(columns), element(element), isSplit(isSplit) {
  for (StringRef name : {StringRef(kSum), StringRef(kTotal)})
    if (isSplit || name == kSum)
      instructions.run((".reg .f32 " + name + "<" + Twine(columns / 2) + ">;").str(), "", {});
}

std::string GroupSums::each(function_ref<std::string(const std::string &)> text) const {
  std::string all;
  for (unsigned i = 0; i < columns / 2; ++i)
    all += text(std::to_string(i));
  return all;
}

std::string GroupSums::names() const {
  return each([](const std::string &i) { return (i == "0" ? "" : ", ") + kSum.str() + i; });
}

void GroupSums::clear() {
  std::string text = each([](const std::string &i) { return "mov.f32 " + kSum.str() + i + ", 0f00000000;\n"; });
  if (isSplit)
    text += each([](const std::string &i) { return "mov.f32 " + kTotal.str() + i + ", 0f00000000;\n"; });
  instructions.run(text, "", {});
}

/// Returns a matrix descriptor (PTX ISA, "Matrix Descriptor Format"). Addresses and distances lack their last four bits. Eight
/// rows of 128 bytes are followed by the next eight. Bits 62 and 63 select the 128-byte swizzle.
Value GroupSums::descriptor(const Operand &operand) {
  OpBuilder &b = frame.b;
  constexpr uint64_t kSwizzle = uint64_t(1) << 62, kEightRows = uint64_t(1024 >> 4) << 32;
  uint64_t fixed = kSwizzle | kEightRows | (uint64_t(operand.hasDepthInside ? 1 : operand.repeat >> 4) << 16);
  Value units = arith::ShRUIOp::create(b, frame.loc, operand.begin, frame.number(4));
  units = arith::AndIOp::create(b, frame.loc, units, frame.number(0x3FFF));
  return arith::OrIOp::create(b, frame.loc, frame.widen(units), frame.eval.i64(int64_t(fixed)));
}

/// Returns a wgmma of `lhs` and the descriptor `rhs`, without the operands' orders.
std::string GroupSums::product(StringRef lhs, bool isFirst) const {
  unsigned depth = kStepBytes * 8 / element.getIntOrFloatBitWidth();
  std::string kind = element.isBF16() ? "bf16" : element.isF16() ? "f16" : "tf32";
  return "wgmma.mma_async.sync.aligned.m" + std::to_string(kGroupRows) + "n" + std::to_string(columns) + "k" +
         std::to_string(depth) + ".f32." + kind + "." + kind + " {" + names() + "}, " + lhs.str() + ", rhs, " +
         (isFirst ? "0" : "1") + ", 1, 1";
}

/// A step along the depth is 32 bytes of a row or, with the depth outside, as many rows of 128 bytes as the step has elements.
void GroupSums::multiply(const Operand &lhs, const Operand &rhs) {
  unsigned depth = kStepBytes * 8 / element.getIntOrFloatBitWidth();
  auto step = [&](const Operand &operand) { return (operand.hasDepthInside ? kStepBytes : depth * kRunBytes) >> 4; };
  auto order = [&](const Operand &operand) { // TF32 has only one order
    return !isHalf(element) ? "" : operand.hasDepthInside ? ", 0" : ", 1";
  };
  std::string text = "{\n.reg .b64 lhs, rhs;\nwgmma.fence.sync.aligned;\n";
  for (unsigned i = 0; i < kSteps; ++i) {
    text +=
        "add.s64 lhs, $0, " + std::to_string(i * step(lhs)) + ";\nadd.s64 rhs, $1, " + std::to_string(i * step(rhs)) + ";\n";
    text += product("lhs", /*isFirst=*/false) + order(lhs) + order(rhs) + ";\n";
  }
  text += "wgmma.commit_group.sync.aligned;\n}";
  instructions.run(text, "l,l", {descriptor(lhs), descriptor(rhs)});
}

/// With two parts, the small products come first, and the product of both low parts is omitted.
void GroupSums::multiply(ArrayRef<Value> lhs, ArrayRef<Value> rhs) {
  unsigned ofPart = kSteps * kWords;
  SmallVector<Value> arguments(lhs);
  std::string constraints, text = "{\n.reg .b64 rhs;\nwgmma.fence.sync.aligned;\n";
  for (size_t i = 0; i < lhs.size(); ++i)
    constraints += "r,";
  for (Value begin : rhs) {
    arguments.push_back(descriptor({begin, /*hasDepthInside=*/true}));
    constraints += begin == rhs.front() ? "l" : ",l";
  }
  bool isFirst = isSplit;
  auto run = [&](unsigned lhsPart, unsigned rhsPart) {
    for (unsigned i = 0; i < kSteps; ++i, isFirst = false) {
      std::string words;
      for (unsigned word = 0; word < kWords; ++word)
        words += (word ? ", $" : "$") + std::to_string(lhsPart * ofPart + i * kWords + word);
      text += "add.s64 rhs, $" + std::to_string(lhs.size() + rhsPart) + ", " + std::to_string(i * (kStepBytes >> 4)) + ";\n" +
              product("{" + words + "}", isFirst) + ";\n";
    }
  };
  if (isSplit) {
    run(1, 0);
    run(0, 1);
  }
  run(0, 0);
  instructions.run(text + "wgmma.commit_group.sync.aligned;\n}", constraints, arguments);
}

void GroupSums::waitForOthers() { instructions.run("wgmma.wait_group.sync.aligned 1;", "", {}); }

void GroupSums::settle() {
  std::string text = "wgmma.wait_group.sync.aligned 0;\n";
  if (isSplit)
    text += each([](const std::string &i) {
      return "add.rn.f32 " + kTotal.str() + i + ", " + kTotal.str() + i + ", " + kSum.str() + i + ";\n";
    });
  instructions.run(text, "", {});
}

SmallVector<Value> GroupSums::take() {
  settle();
  unsigned count = columns / 2;
  StringRef name = isSplit ? kTotal : kSum;
  std::string constraints, text = each([&](const std::string &i) { return "mov.f32 $" + i + ", " + name.str() + i + ";\n"; });
  for (unsigned i = 0; i < count; ++i)
    constraints += i ? ",=f" : "=f";
  OpBuilder &b = frame.b;
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(count, b.getF32Type()));
  Value all = instructions.run(text, constraints, {}, type);
  SmallVector<Value> sums;
  for (unsigned i = 0; i < count; ++i)
    sums.push_back(LLVM::ExtractValueOp::create(b, frame.loc, all, i));
  return sums;
}
