#include "codegen/Schedules/Panels.h"
#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/IR/PlanAttributes.h"
#include "lib/Analysis/Bytes.h"
#include "lib/Analysis/PairProducts.h"
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
  int64_t rest = ofPairs || isEven ? 0 : columns % width;
  return rest ? std::min(width, int64_t(llvm::alignTo(rest, kPanelPadding))) : width;
}

int64_t PanelLayout::matrixSize() const {
  if (ofBytes)
    return llvm::divideCeil(columns, width) * BytePanel{depth}.bytes();
  if (ofPairs)
    return llvm::alignTo(depth, 2) * llvm::divideCeil(columns, width) * width;
  return depth * ((llvm::divideCeil(columns, width) - 1) * width + lastPitch());
}

/// True if the sums of the products of `groups` adjacent groups with numbers up to 255 fit in i16, for each pair of factors of
/// a column.
static bool fitInWords(const char *first, int64_t groups) {
  constexpr int kMost = INT16_MAX / UINT8_MAX;
  for (int64_t pair = 0; pair < BytePanel::kGroupBytes; pair += 2) {
    int positive = 0, negative = 0;
    for (int64_t group = 0; group < groups; ++group)
      for (int64_t i = 0; i < 2; ++i) {
        int factor = int8_t(first[group * BytePanel::kGroupBytes + pair + i]);
        (factor > 0 ? positive : negative) += factor;
      }
    if (positive > kMost || negative < -kMost)
      return false;
  }
  return true;
}

/// Writes the table of the panel at `to`, whose factors are there.
void BytePanel::writeTable(char *to) const {
  std::array<std::vector<int16_t>, kSections> sections;
  for (int64_t first = 0, count; first < groups(); first += count) {
    count = std::min(kBlock, groups() - first);
    const char *factors = to + first * kGroupBytes;
    int64_t fitting = 0;
    for (int64_t i = 0; i < count; ++i)
      fitting += fitInWords(factors + i * kGroupBytes, 1);
    bool isBlock = count == kBlock, merges = isBlock;
    for (int64_t i = 0; i < kBlock && merges; i += 2)
      merges = fitInWords(factors + i * kGroupBytes, 2);
    if (merges || (isBlock && (fitting == 0 || fitting == count)))
      sections[merges ? MergingBlocks : fitting ? FittingBlocks : OtherBlocks].push_back(first);
    else
      for (int64_t i = 0; i < count; ++i)
        sections[fitInWords(factors + i * kGroupBytes, 1) ? FittingGroups : OtherGroups].push_back(first + i);
  }
  std::vector<int16_t> table(kSections);
  for (auto [section, entries] : llvm::enumerate(sections)) {
    llvm::append_range(table, entries);
    table[section] = table.size() - kSections;
  }
  std::memcpy(to + tableOffset(), table.data(), table.size() * sizeof(int16_t));
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
  writeTable(to);
}

/// Writes columns of `depth` rows, which are `pitch` elements of two bytes apart, to a panel of pairs.
static void packPairs(const char *from, int64_t pitch, int64_t depth, int64_t columns, int64_t width, char *to) {
  constexpr int64_t kBytes = 2;
  for (int64_t row = 0; row < depth; ++row)
    for (int64_t column = 0; column < columns; ++column)
      std::memcpy(to + ((row / 2 * width + column) * 2 + row % 2) * kBytes, from + (row * pitch + column) * kBytes, kBytes);
}

/// Returns the bytes of the panel that begins with column `first`.
int64_t PanelLayout::panelBytes(int64_t first) const {
  if (ofBytes)
    return BytePanel{depth}.bytes();
  if (ofPairs)
    return llvm::alignTo(depth, 2) * width * elementBytes;
  return depth * (columns - first < width ? lastPitch() : width) * elementBytes;
}

/// Writes this panel of a matrix to `to`, which holds zeros.
void PanelLayout::packPanel(const char *from, int64_t first, char *to) const {
  int64_t wide = std::min(width, columns - first), pitch = wide < width ? lastPitch() : width;
  if (ofBytes)
    return BytePanel{depth}.pack(from + first, columns, wide, to);
  if (ofPairs)
    return packPairs(from + first * elementBytes, columns, depth, wide, width, to);
  for (int64_t row = 0; row < depth; ++row, to += pitch * elementBytes)
    std::memcpy(to, from + (row * columns + first) * elementBytes, wide * elementBytes);
}

bool PanelLayout::write(ArrayRef<char> rowMajor, llvm::function_ref<bool(StringRef)> write) const {
  constexpr size_t kPart = 1 << 17;
  std::string part;
  const char *from = rowMajor.data();
  for (int64_t matrix = 0; matrix < matrices; ++matrix, from += depth * columns * elementBytes)
    for (int64_t first = 0; first < columns; first += width) {
      size_t at = part.size();
      part.resize(at + panelBytes(first));
      packPanel(from, first, part.data() + at);
      if (part.size() < kPart)
        continue;
      if (!write(part))
        return false;
      part.clear();
    }
  return part.empty() || write(part);
}

int64_t lathe::panelWidthOf(KernelOp kernel, unsigned operand) {
  auto widths = kernel->getAttrOfType<DenseI64ArrayAttr>(kPanelsAttr);
  return widths ? widths[operand] : 0;
}

PanelLayout lathe::panelLayoutOf(KernelOp kernel, unsigned operand, int64_t width) {
  BlockArgument argument = kernel.getBody().getArgument(operand);
  auto type = cast<RankedTensorType>(argument.getType());
  Operation *byteProduct = nullptr;
  bool ofFilter = false, ofPairs = false;
  for (Operation &op : kernel.getBody().front()) {
    ofPairs |= isPairProduct(&op) && narrowOperand(op.getOperand(1)) == argument;
    if (multipliesBytes(&op) && centredBytes(op.getOperand(1))->bytes == argument)
      byteProduct = &op;
    if (auto conv = dyn_cast<ConvOp>(op))
      ofFilter |= conv.getFilter() == argument || byteProduct == &op;
  }
  PanelLayout layout = ofFilter ? PanelLayout::ofFilter(type, width) : PanelLayout::of(type, width);
  layout.ofBytes = byteProduct;
  layout.ofPairs = ofPairs;
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
