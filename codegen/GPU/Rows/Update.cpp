// The code of dynamic_update_slice:
//
//   start = starts, clamped so that the update is inside
//   in place:                                              // a thread per `lanes` elements of the update
//     result[start + index] = update[index]
//   otherwise:                                             // a thread per `lanes` elements of the result
//     result[index] = update[index - start] if that exists, else operand[index]
//
// The tensor is rows, some of which have a part that the update replaces. A row has the last dimension that the update does not
// fill, and all dimensions inside it. A vector that contains an end of the part is copied element by element.
#include "codegen/GPU/Rows/RowProgram.h"
#include "codegen/GPU/Rows/Rows.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

namespace {
constexpr unsigned kUpdateThreads = 128;

/// The tensor and the update as rows.
struct UpdateShape {
  SmallVector<Dim> outer, outerSizes; // dimensions outside the rows: of the tensor, of the update
  unsigned rowDim = 0;
  Dim inner{1}; // elements per step along rowDim
  Dim row{1}, part{1};

  explicit UpdateShape(DynamicUpdateSliceOp op) {
    Dims extents = dimsOf(op.getResult()), sizes = dimsOf(op.getUpdate());
    if (extents.empty())
      return;
    for (unsigned dim = 0; dim < extents.size(); ++dim)
      if (sizes[dim] != extents[dim])
        rowDim = dim;
    inner = productOf(ArrayRef(extents).drop_front(rowDim + 1));
    row = extents[rowDim] * inner;
    part = sizes[rowDim] * inner;
    outer.assign(extents.begin(), extents.begin() + rowDim);
    outerSizes.assign(sizes.begin(), sizes.begin() + rowDim);
  }
};

class UpdateSliceKernel : RowProgram {
public:
  UpdateSliceKernel(KernelOp kernel, DynamicUpdateSliceOp op, unsigned lanes, const FunctionPlace &place)
      : RowProgram(kernel, place, kUpdateThreads), op(op), shape(op), element(bitsOf(op)),
        isInPlace(kernel->hasAttr(kInPlaceAttr)), innerLanes(lanesFor(shape.inner, element)), lanes(lanes) {}

  KernelCode emit() {
    placeUpdate();
    Dim all = productOf(isInPlace ? shape.outerSizes : shape.outer) * (isInPlace ? shape.part : shape.row);
    Dim vectors = *all.dividedBy(lanes);
    Value number = frame.globalThread();
    frame.when(frame.isBelow(number, eval.extent(vectors)), [&] { isInPlace ? replace(number) : copy(number); });
    std::string form = isInPlace ? "a thread for each element of the block" : "a thread for each point";
    if (lanes > 1)
      form = "a thread for each " + std::to_string(lanes) + " contiguous elements" + (isInPlace ? " of the block" : "");
    KernelCode code = frame.finish(symbols, vectors, form);
    code.unit = kUpdateThreads;
    return code;
  }

private:
  /// Sets the start of the update, clamped so that all of it is inside.
  void placeUpdate() {
    Dims extents = dimsOf(op.getResult()), sizes = dimsOf(op.getUpdate());
    for (unsigned dim = 0; dim < extents.size() && dim <= shape.rowDim; ++dim) {
      Value most = eval.extent(extents[dim] - sizes[dim]);
      Value start = frame.max(eval.min(wordAt(op.getStarts()[dim], eval.i64(0)), most), eval.i64(0));
      starts.push_back(dim < shape.rowDim ? start : eval.mul(start, eval.extent(shape.inner)));
    }
    if (starts.empty())
      starts.push_back(eval.i64(0));
  }

  /// Returns the indices of a thread's vector: those of its row, then that of its first element in the row.
  SmallVector<Value> indicesOf(Value number, ArrayRef<Dim> outer, const Dim &row) {
    SmallVector<Dim> extents(outer);
    extents.push_back(*row.dividedBy(lanes));
    SmallVector<Value> indices;
    for (Index index : frame.indicesOf(number, extents))
      indices.push_back(index.base);
    indices.back() = eval.mul(indices.back(), eval.i64(lanes));
    return indices;
  }

  void replace(Value number) {
    SmallVector<Value> at = indicesOf(number, shape.outerSizes, shape.part);
    Value to = eval.i64(0);
    for (auto [index, start, extent] : llvm::zip_first(ArrayRef(at).drop_back(), starts, shape.outer))
      to = eval.add(eval.mul(to, eval.extent(extent)), eval.add(index, start));
    to = eval.add(eval.mul(to, eval.extent(shape.row)), eval.add(at.back(), starts.back()));
    Value value = load(buffer(op.getUpdate()), element, eval.mul(number, eval.i64(lanes)), lanes);
    store(value, frame.outputs[0], element, to, lanes);
  }

  void copy(Value number) {
    SmallVector<Value> at = indicesOf(number, shape.outer, shape.row);
    Value from = eval.i64(0), isRow;
    for (auto [index, start, size] : llvm::zip_first(ArrayRef(at).drop_back(), starts, shape.outerSizes)) {
      Value inUpdate = eval.sub(index, start), extent = eval.extent(size);
      isRow = both(isRow, isWithin(inUpdate, extent));
      from = eval.add(eval.mul(from, extent), inUpdate);
    }
    Value place = eval.mul(number, eval.i64(lanes)), inPart = eval.sub(at.back(), starts.back());
    from = eval.add(eval.mul(from, eval.extent(shape.part)), inPart);
    if (innerLanes >= lanes) // no vector contains an end of the part
      return copyFrom(both(isRow, isWithin(inPart, eval.extent(shape.part))), from, place, lanes);
    Value last = eval.i64(lanes - 1); // true for vectors with an element of the part
    Value touches = both(isRow, isWithin(eval.add(inPart, last), eval.add(eval.extent(shape.part), last)));
    auto byElement = [&] {
      for (unsigned lane = 0; lane < lanes; ++lane) {
        Value i = eval.i64(lane);
        copyFrom(isWithin(eval.add(inPart, i), eval.extent(shape.part)), eval.add(from, i), eval.add(place, i), 1);
      }
    };
    frame.choose(touches, byElement, [&] { copyFrom({}, {}, place, lanes); });
  }

  /// Copies elements from the update if `isNew` holds (null: it does not), else from the operand.
  void copyFrom(Value isNew, Value inUpdate, Value place, unsigned count) {
    Value source = frame.at(buffer(op.getOperand()), element, place);
    if (isNew)
      source = choose(isNew, frame.at(buffer(op.getUpdate()), element, inUpdate), source);
    store(load(source, element, eval.i64(0), count), frame.outputs[0], element, place, count);
  }

  DynamicUpdateSliceOp op;
  UpdateShape shape;
  Type element; // an integer of the element's width
  bool isInPlace;
  unsigned innerLanes, lanes; // lanes: contiguous elements per thread
  SmallVector<Value> starts;  // of the update: of its rows, then in a row
};

class UpdateSliceForm : public LanesForm<DynamicUpdateSliceOp> {
public:
  UpdateSliceForm() : LanesForm("update_slice") {}

private:
  unsigned mostLanes(KernelOp kernel, DynamicUpdateSliceOp op) const override {
    UpdateShape shape(op);
    return lanesOf(kernel, kernel->hasAttr(kInPlaceAttr) ? shape.inner : shape.row, bitsOf(op));
  }
  KernelCode emitRows(KernelOp kernel, Operation *op, const LanesSchedule &schedule,
                      const FunctionPlace &place) const override {
    return UpdateSliceKernel(kernel, cast<DynamicUpdateSliceOp>(op), schedule.lanes, place).emit();
  }
};
} // namespace

const Form &lathe::gpu::updateSliceForm() {
  static const UpdateSliceForm form;
  return form;
}
