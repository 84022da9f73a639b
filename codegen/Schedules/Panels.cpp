#include "codegen/Schedules/Panels.h"
#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/IR/PlanAttributes.h"
#include "lib/Analysis/Bytes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <array>
#include <cstring>

using namespace mlir;
using namespace lathe;

PanelLayout PanelLayout::of(RankedTensorType type, int64_t width) {
  ArrayRef<int64_t> shape = type.getShape();
  int64_t depth = shape[shape.size() - 2], columns = shape.back();
  return {type.getNumElements() / (depth * columns), depth, columns, width, type.getElementTypeBitWidth() / 8};
}

PanelLayout PanelLayout::ofFilter(RankedTensorType type, int64_t width) {
  int64_t columns = type.getShape().back();
  return {1, type.getNumElements() / columns, columns, width, type.getElementTypeBitWidth() / 8};
}

int64_t PanelLayout::lastPitch() const {
  int64_t rest = columns % width;
  return rest ? std::min(width, int64_t(llvm::alignTo(rest, kPanelPadding))) : width;
}

int64_t PanelLayout::matrixSize() const {
  if (ofBytes)
    return llvm::divideCeil(columns, width) * BytePanel{depth}.bytes();
  return depth * ((llvm::divideCeil(columns, width) - 1) * width + lastPitch());
}

/// True if the sums of two products with numbers up to 255 fit in i16, for each pair of a group's factors.
static bool havePairsInWords(ArrayRef<char> group) {
  constexpr int kMost = INT16_MAX / UINT8_MAX;
  for (size_t i = 0; i < group.size(); i += 2) {
    int first = int8_t(group[i]), second = int8_t(group[i + 1]);
    if (std::max(first, 0) + std::max(second, 0) > kMost || std::min(first, 0) + std::min(second, 0) < -kMost)
      return false;
  }
  return true;
}

void BytePanel::pack(const char *from, int64_t pitch, int64_t columns, char *to) const {
  std::array<int32_t, kColumns> sums{};
  for (int64_t row = 0; row < depth; ++row)
    for (int64_t column = 0; column < columns; ++column) {
      char byte = from[row * pitch + column];
      to[row / kGroup * kGroupBytes + column * kGroup + row % kGroup] = byte;
      sums[column] += int8_t(byte);
    }
  std::memcpy(to + sumsOffset(), sums.data(), sizeof(sums));
  std::vector<int16_t> table{0}, others;
  for (int64_t group = 0; group < groups(); ++group)
    (havePairsInWords({to + group * kGroupBytes, size_t(kGroupBytes)}) ? table : others).push_back(group);
  table[0] = table.size() - 1;
  llvm::append_range(table, others);
  std::memcpy(to + tableOffset(), table.data(), table.size() * sizeof(int16_t));
}

void PanelLayout::pack(ArrayRef<char> rowMajor, char *to) const {
  const char *from = rowMajor.data();
  for (int64_t matrix = 0; matrix < matrices; ++matrix, from += depth * columns * elementBytes)
    for (int64_t first = 0; first < columns; first += width) {
      if (ofBytes) {
        BytePanel panel{depth};
        panel.pack(from + first, columns, std::min(width, columns - first), to);
        to += panel.bytes();
        continue;
      }
      int64_t wide = std::min(width, columns - first), pitch = wide < width ? lastPitch() : width;
      for (int64_t row = 0; row < depth; ++row, to += pitch * elementBytes)
        std::memcpy(to, from + (row * columns + first) * elementBytes, wide * elementBytes);
    }
}

int64_t lathe::panelWidthOf(KernelOp kernel, unsigned operand) {
  auto widths = kernel->getAttrOfType<DenseI64ArrayAttr>(kPanelsAttr);
  return widths ? widths[operand] : 0;
}

PanelLayout lathe::panelLayoutOf(KernelOp kernel, unsigned operand, int64_t width) {
  BlockArgument argument = kernel.getBody().getArgument(operand);
  auto type = cast<RankedTensorType>(argument.getType());
  Operation *byteProduct = nullptr;
  bool ofFilter = false;
  for (Operation &op : kernel.getBody().front()) {
    if (multipliesBytes(&op) && centredBytes(op.getOperand(1))->bytes == argument)
      byteProduct = &op;
    if (auto conv = dyn_cast<ConvOp>(op))
      ofFilter |= conv.getFilter() == argument || byteProduct == &op;
  }
  PanelLayout layout = ofFilter ? PanelLayout::ofFilter(type, width) : PanelLayout::of(type, width);
  layout.ofBytes = byteProduct;
  return layout;
}

ConstantOp lathe::constantOf(Value value) {
  while (auto argument = dyn_cast<BlockArgument>(value = memoryOf(value))) {
    Operation *control = argument.getOwner()->getParentOp();
    if (!isControl(control) || argument.getArgNumber() >= constsOf(control).size())
      return {};
    value = constsOf(control)[argument.getArgNumber()];
  }
  return value.getDefiningOp<ConstantOp>();
}
