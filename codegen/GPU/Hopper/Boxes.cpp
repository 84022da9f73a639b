#include "codegen/GPU/Hopper/Boxes.h"
#include "codegen/GPU/Tuning.h"

using namespace lathe;
using namespace lathe::gpu;

static int64_t pointsOf(const KernelLoops &loops, const Span &span, int64_t named) {
  Dim all = extentOf(loops, span.dims);
  return all.isStatic() ? all.constant() : named;
}

static int64_t countOf(const KernelLoops &loops, llvm::ArrayRef<Span> spans, int64_t named) {
  int64_t boxes = 1;
  for (const Span &span : spans)
    boxes *= llvm::divideCeil(pointsOf(loops, span, named), span.box);
  return boxes;
}

int64_t lathe::gpu::boxesOf(const KernelLoops &loops, llvm::ArrayRef<Span> spans) {
  return countOf(loops, spans, spans.size() > 1 ? tuning::kSeveral : tuning::kLargeExtent);
}

double lathe::gpu::usedOf(const KernelLoops &loops, llvm::ArrayRef<Span> spans) {
  double points = 1, places = double(countOf(loops, spans, tuning::kSeveral));
  for (const Span &span : spans) {
    points *= double(pointsOf(loops, span, tuning::kSeveral));
    places *= span.box;
  }
  return points / places;
}

/// Calls the body for all ways to divide `length` among the spans, beginning with the largest box of the last span.
static void eachWay(llvm::MutableArrayRef<Span> spans, unsigned length, llvm::function_ref<void()> body) {
  if (spans.size() == 1) {
    spans.front().box = length;
    return body();
  }
  for (unsigned box = length; box > 0; box /= 2) {
    spans.back().box = box;
    eachWay(spans.drop_back(), length / box, body);
  }
}

bool lathe::gpu::chooseBoxes(const KernelLoops &loops, llvm::MutableArrayRef<Span> spans, unsigned length,
                             llvm::function_ref<bool()> isGood) {
  llvm::SmallVector<Span> best;
  int64_t fewest = std::numeric_limits<int64_t>::max();
  eachWay(spans, length, [&] {
    int64_t boxes = countOf(loops, spans, 1) * tuning::kSeveral + countOf(loops, spans, tuning::kSeveral);
    if (boxes >= fewest || !isGood())
      return;
    fewest = boxes;
    best.assign(spans.begin(), spans.end());
  });
  llvm::copy(best, spans.begin());
  return !best.empty();
}
