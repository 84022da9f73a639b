#include "codegen/GPU/Hopper/Instructions.h"
#include "codegen/GPU/Hopper/Matrix.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

constexpr unsigned kGroupRows = 64, kStepBytes = 32; // of one product, along the depth
constexpr llvm::StringLiteral kSum = "lathe_sum";    // the registers' name

/// Neither moved nor left out, and after all that the thread has written before.
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

GroupSums::GroupSums(Instructions &instructions, unsigned columns, Type element)
    : instructions(instructions), frame(instructions.frame), columns(columns), element(element) {
  instructions.run((".reg .f32 " + kSum + "<" + Twine(columns / 2) + ">;").str(), "", {});
}

std::string GroupSums::names() const {
  std::string all;
  for (unsigned i = 0; i < columns / 2; ++i)
    all += (i ? ", " : "") + kSum.str() + std::to_string(i);
  return all;
}

void GroupSums::clear() {
  std::string text;
  for (unsigned i = 0; i < columns / 2; ++i)
    text += "mov.f32 " + kSum.str() + std::to_string(i) + ", 0f00000000;\n";
  instructions.run(text, "", {});
}

/// PTX ISA, "Matrix Descriptor Format": addresses and distances without their last four bits; eight rows of 128 bytes are
/// followed by the next eight; bits 62 and 63 say that they are swizzled.
Value GroupSums::descriptor(const Operand &operand) {
  OpBuilder &b = frame.b;
  constexpr uint64_t kSwizzle = uint64_t(1) << 62, kEightRows = uint64_t(1024 >> 4) << 32;
  uint64_t fixed = kSwizzle | kEightRows | (uint64_t(operand.hasDepthInside ? 1 : operand.repeat >> 4) << 16);
  Value units = arith::ShRUIOp::create(b, frame.loc, operand.begin, frame.number(4));
  units = arith::AndIOp::create(b, frame.loc, units, frame.number(0x3FFF));
  return arith::OrIOp::create(b, frame.loc, frame.widen(units), frame.eval.i64(int64_t(fixed)));
}

/// A step along the depth is 32 bytes of a row, or of halves as many rows of 128 bytes as these have elements.
void GroupSums::multiply(const Operand &lhs, const Operand &rhs) {
  unsigned depth = kStepBytes * 8 / element.getIntOrFloatBitWidth();
  std::string kind = element.isBF16() ? "bf16" : element.isF16() ? "f16" : "tf32";
  auto step = [&](const Operand &operand) { return (operand.hasDepthInside ? kStepBytes : depth * kRunBytes) >> 4; };
  auto order = [&](const Operand &operand) { // of tf32 there is but one
    return !isHalf(element) ? "" : operand.hasDepthInside ? ", 0" : ", 1";
  };
  std::string text = "{\n.reg .b64 lhs, rhs;\nwgmma.fence.sync.aligned;\n";
  for (unsigned i = 0; i < kRunBytes / kStepBytes; ++i) {
    text +=
        "add.s64 lhs, $0, " + std::to_string(i * step(lhs)) + ";\nadd.s64 rhs, $1, " + std::to_string(i * step(rhs)) + ";\n";
    text += "wgmma.mma_async.sync.aligned.m" + std::to_string(kGroupRows) + "n" + std::to_string(columns) + "k" +
            std::to_string(depth) + ".f32." + kind + "." + kind + " {" + names() + "}, lhs, rhs, 1, 1, 1" + order(lhs) +
            order(rhs) + ";\n";
  }
  text += "wgmma.commit_group.sync.aligned;\n}";
  instructions.run(text, "l,l", {descriptor(lhs), descriptor(rhs)});
}

void GroupSums::waitForOthers() { instructions.run("wgmma.wait_group.sync.aligned 1;", "", {}); }

SmallVector<Value> GroupSums::take() {
  unsigned count = columns / 2;
  std::string text = "wgmma.wait_group.sync.aligned 0;\n", constraints;
  for (unsigned i = 0; i < count; ++i) {
    text += "mov.f32 $" + std::to_string(i) + ", " + kSum.str() + std::to_string(i) + ";\n";
    constraints += i ? ",=f" : "=f";
  }
  OpBuilder &b = frame.b;
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(count, b.getF32Type()));
  Value all = instructions.run(text, constraints, {}, type);
  SmallVector<Value> sums;
  for (unsigned i = 0; i < count; ++i)
    sums.push_back(LLVM::ExtractValueOp::create(b, frame.loc, all, i));
  return sums;
}
