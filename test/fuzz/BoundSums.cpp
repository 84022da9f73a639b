// Bounds of what combines many elements.
#include "dialects/Lathe/IR/Lathe.h"
#include "test/fuzz/Bounds.h"
#include "test/fuzz/Graph.h"
#include <cmath>

using namespace lathe;
using namespace fuzz;

/// Returns the type in which sums of this type are computed.
static Element madeIn(Element element) { return isHalf(element) ? Element::F32 : element; }

double fuzz::boundOfSum(Element element, double result, double size, double passed, double terms) {
  FloatFormat format = formatOf(madeIn(element));
  double bound = passed + 2 * terms * (format.unit * (size + passed) + format.least);
  if (isHalf(element))
    bound += roundings(element, std::fabs(result) + bound);
  bool overflows = !(size + bound < formatOf(element).largest);
  if (std::isfinite(result))
    return overflows ? std::nan("") : bound;
  return overflows || passed != 0 ? std::nan("") : 0; // an infinity or NaN that went in comes out of any order
}

static Tensor added(const Tensor &a, const Tensor &b) {
  Tensor sum = a;
  for (int64_t i = 0; i < sum.size(); ++i)
    sum.data<double>()[i] += b.at(i);
  return sum;
}

static Tensor sums(const Seen &seen, const Tensor &sizes, const Tensor &passed, double terms) {
  Tensor bound(Element::F64, seen.result.getShape());
  for (int64_t i = 0; i < bound.size(); ++i)
    bound.data<double>()[i] = boundOfSum(seen.element(), seen.result.at(i), sizes.at(i), passed.at(i), terms);
  return bound;
}

static Tensor contraction(const Seen &seen) {
  double terms = seen.values[1]->size(); // of a convolution no element of the second operand counts twice
  if (auto dot = llvm::dyn_cast<DotGeneralOp>(seen.op)) {
    terms = 1;
    for (int64_t dim : dot.getLhsContract())
      terms *= double(seen.values[0]->getShape()[dim]);
  }
  Tensor a = magnitudes(*seen.values[0]), b = magnitudes(*seen.values[1]);
  Tensor sizes = evaluateOn(seen, {&a, &b}, Element::F64);
  Tensor wider = added(b, *seen.bounds[1]);
  Tensor left = evaluateOn(seen, {seen.bounds[0], &wider}, Element::F64),
         right = evaluateOn(seen, {&a, seen.bounds[1]}, Element::F64);
  return sums(seen, sizes, added(left, right), terms + 1);
}

/// From an element on whose steps may leave the range of the numbers, nothing is known of its line: one side's infinity stays,
/// where the other, which rounds once, may have gone on with a number.
static void forgetAfterOverflow(const Seen &seen, const Tensor &sizes, const Tensor &passed, Tensor &bound) {
  auto op = llvm::cast<LinearRecurrenceOp>(seen.op);
  llvm::ArrayRef<int64_t> shape = bound.getShape();
  int64_t length = shape[op.getDim()], inner = 1;
  for (int64_t size : shape.drop_front(op.getDim() + 1))
    inner *= size;
  for (int64_t line = 0; line < bound.size() / length; ++line) {
    int64_t first = line / inner * length * inner + line % inner;
    bool left = false;
    for (int64_t step = 0; step < length; ++step) {
      int64_t i = first + (op.getReverse() ? length - 1 - step : step) * inner;
      left |= !(2 * (sizes.at(i) + passed.at(i)) < formatOf(seen.element()).largest);
      if (left)
        bound.data<double>()[i] = std::nan("");
    }
  }
}

static Tensor recurrence(const Seen &seen) {
  Tensor factor = magnitudes(*seen.values[0]), term = magnitudes(*seen.values[1]);
  Tensor widerFactor = added(factor, *seen.bounds[0]), widerTerm = added(term, *seen.bounds[1]);
  for (int64_t i = 0; i < term.size(); ++i) // what is lost below the least number grows with the factors behind it
    widerTerm.data<double>()[i] += 4 * formatOf(madeIn(seen.element())).least;
  Tensor sizes = evaluateOn(seen, {&factor, &term}, Element::F64),
         passed = evaluateOn(seen, {&widerFactor, &widerTerm}, Element::F64);
  for (int64_t i = 0; i < passed.size(); ++i)
    passed.data<double>()[i] -= sizes.at(i);
  double terms = 2 * double(seen.result.getShape()[llvm::cast<LinearRecurrenceOp>(seen.op).getDim()]) + 2;
  Tensor bound = sums(seen, sizes, passed, terms);
  forgetAfterOverflow(seen, sizes, passed, bound);
  return bound;
}

/// The number of elements that one of the result is made of, at most.
static double termsOf(const Seen &seen) {
  double terms = 1;
  if (auto window = llvm::dyn_cast<ReduceWindowOp>(seen.op))
    for (int64_t size : window.getWindow().getSize().asArrayRef())
      terms *= double(size);
  else if (auto running = llvm::dyn_cast<CumulativeOp>(seen.op))
    terms = double(seen.result.getShape()[running.getDim()]);
  else if (auto reduce = llvm::dyn_cast<ReduceOp>(seen.op))
    for (int64_t dim : reduce.getDims())
      terms *= double(seen.values[0]->getShape()[dim]);
  return terms;
}

/// Relative, where neither the product of the large factors nor that of the small ones leaves the normal numbers.
static Bound product(const Seen &seen) {
  if (!seen.isExact())
    return std::nullopt;
  Tensor large = magnitudes(*seen.values[0]), small = large;
  for (int64_t i = 0; i < large.size(); ++i) {
    double size = large.at(i);
    large.data<double>()[i] = std::max(size, 1.0);
    small.data<double>()[i] = size == 0 ? 1 : std::min(size, 1.0);
  }
  Tensor most = evaluateOn(seen, {&large}, Element::F64), least = evaluateOn(seen, {&small}, Element::F64);
  Tensor bound(Element::F64, seen.result.getShape());
  FloatFormat format = formatOf(madeIn(seen.element()));
  double terms = termsOf(seen);
  for (int64_t i = 0; i < bound.size(); ++i) {
    double result = seen.result.at(i), relative = 2 * terms * format.unit * std::fabs(result);
    bool leaves = !(most.at(i) < formatOf(seen.element()).largest / 2 && least.at(i) > format.normal * 2);
    if (isHalf(seen.element()))
      relative += roundings(seen.element(), std::fabs(result) + relative);
    bound.data<double>()[i] = leaves ? std::nan("") : std::isfinite(result) ? relative : 0;
  }
  return bound;
}

/// Returns the maximum of the elements and `most`; a NaN, which means unknown, is above all.
static double greatest(const Tensor &tensor, double most = 0) {
  for (int64_t i = 0; i < tensor.size() && !std::isnan(most); ++i)
    most = tensor.at(i) <= most ? most : tensor.at(i);
  return most;
}

/// Bounds max and min: no further off than the worst operand. The same for logsumexp, each of whose steps rounds a few times.
static Tensor extreme(const Seen &seen, bool isLogarithm) {
  Tensor bound(Element::F64, seen.result.getShape());
  double passed = 0;
  for (const Tensor *operand : seen.bounds)
    passed = greatest(*operand, passed);
  double size = greatest(magnitudes(*seen.values[0]));
  for (int64_t i = 0; i < bound.size(); ++i) {
    double result = seen.result.at(i), own = 0;
    if (isLogarithm && std::isfinite(result))
      own = 4 * (termsOf(seen) + 4) * formatOf(madeIn(seen.element())).unit * (1 + size + std::fabs(result)) +
            (isHalf(seen.element()) ? roundings(seen.element(), result) : 0);
    bound.data<double>()[i] = passed == 0 || std::isfinite(result) ? passed + own : std::nan("");
  }
  return bound;
}

static Bound combined(const Seen &seen, llvm::StringRef kind) {
  if (kind == "product")
    return product(seen);
  if (kind != "sum")
    return extreme(seen, kind == "logsumexp");
  Tensor sizes = magnitudes(*seen.values[0]);
  Tensor all = evaluateOn(seen, {&sizes}, Element::F64), passed = evaluateOn(seen, {seen.bounds[0]}, Element::F64);
  return sums(seen, all, passed, termsOf(seen));
}

Bound fuzz::boundSum(const Seen &seen) {
  if (!isFloat(seen.element()) || llvm::any_of(seen.values, [](const Tensor *value) { return value->size() == 0; }))
    return std::nullopt;
  if (auto op = llvm::dyn_cast<ReduceOp>(seen.op))
    return combined(seen, stringifyReduceKind(op.getKind()));
  if (auto op = llvm::dyn_cast<ReduceWindowOp>(seen.op))
    return combined(seen, stringifyReduceKind(op.getKind()));
  if (auto op = llvm::dyn_cast<CumulativeOp>(seen.op))
    return combined(seen, stringifyCumulativeKind(op.getKind()));
  if (llvm::isa<DotGeneralOp, ConvOp, ConvInputGradOp, ConvFilterGradOp>(seen.op))
    return contraction(seen);
  if (llvm::isa<LinearRecurrenceOp>(seen.op))
    return recurrence(seen);
  if (auto scatter = llvm::dyn_cast<ScatterOp>(seen.op); scatter && scatter.getKind() == ScatterKind::Add) {
    Tensor into = magnitudes(*seen.values[0]), updates = magnitudes(*seen.values[2]);
    return sums(seen, evaluateOn(seen, {&into, seen.values[1], &updates}, Element::F64),
                evaluateOn(seen, {seen.bounds[0], seen.values[1], seen.bounds[2]}, Element::F64), 1 + double(updates.size()));
  }
  if (seen.isExact())
    return std::nullopt; // in the order that the definition gives: to the bit
  if (llvm::isa<WindowScatterOp>(seen.op)) {
    Tensor updates = magnitudes(*seen.values[0]);
    return sums(seen, evaluateOn(seen, {&updates, seen.values[1]}, Element::F64),
                evaluateOn(seen, {seen.bounds[0], seen.values[1]}, Element::F64), 1 + double(updates.size()));
  }
  return std::nullopt;
}

/// True if the diagonal is at least four times the other elements of each row and column together: then solving and factoring
/// do not enlarge roundings by more than 2 (Higham, Accuracy and Stability, 8.2).
static bool isRuled(const Tensor &a) {
  int64_t n = a.getShape().back();
  for (int64_t matrix = 0; n && matrix < a.size() / (n * n); ++matrix)
    for (int64_t i = 0; i < n; ++i) {
      double row = 0, column = 0, diagonal = std::fabs(a.at(matrix * n * n + i * n + i));
      for (int64_t j = 0; j < n; ++j)
        if (i != j) {
          row += std::fabs(a.at(matrix * n * n + i * n + j));
          column += std::fabs(a.at(matrix * n * n + j * n + i));
        }
      if (!(std::max(row, column) * 4 <= diagonal) || !(diagonal < 1e4) || !(diagonal > 1))
        return false;
    }
  return true;
}

Bound fuzz::boundSystem(const Seen &seen) {
  auto solve = llvm::dyn_cast<TriangularSolveOp>(seen.op);
  if (!solve && !llvm::isa<CholeskyOp>(seen.op))
    return std::nullopt;
  Tensor bound(Element::F64, seen.result.getShape());
  bool known = seen.isExact() && isRuled(*seen.values[0]) && !(solve && solve.getUnit());
  double size = greatest(magnitudes(seen.result)), n = double(seen.values[0]->getShape().back());
  FloatFormat format = formatOf(madeIn(seen.element()));
  double each =
      8 * (n + 2) * (format.unit * size + format.least) + (isHalf(seen.element()) ? roundings(seen.element(), size) : 0);
  for (int64_t i = 0; i < bound.size(); ++i)
    bound.data<double>()[i] = known && std::isfinite(seen.result.at(i)) ? each : std::nan("");
  return bound;
}
