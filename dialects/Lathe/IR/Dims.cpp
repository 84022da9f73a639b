#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/IR/QuotientSums.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lathe;

Dim::Dim(int64_t constant) {
  if (constant)
    terms[{}] = constant;
}

Dim Dim::named(llvm::StringRef name) {
  Dim dim;
  dim.terms[{name.str()}] = 1;
  return dim;
}

Dim Dim::unknown() {
  Dim dim;
  dim.unknownDim = true;
  return dim;
}

bool Dim::isStatic() const { return !unknownDim && (terms.empty() || (terms.size() == 1 && terms.begin()->first.empty())); }

int64_t Dim::constant() const {
  auto it = terms.find({});
  return it == terms.end() ? 0 : it->second;
}

bool Dim::addTerm(const Monomial &names, int64_t coefficient) {
  int64_t &sum = terms[names];
  if (llvm::AddOverflow(sum, coefficient, sum))
    return false;
  if (sum == 0)
    terms.erase(names);
  return true;
}

Dim Dim::operator+(const Dim &other) const {
  if (unknownDim || other.unknownDim)
    return unknown();
  Dim sum = *this;
  for (auto &[names, coefficient] : other.terms)
    if (!sum.addTerm(names, coefficient))
      return unknown();
  return combineQuotients(sum);
}

Dim Dim::operator-(const Dim &other) const { return *this + other * Dim(-1); }

Dim Dim::operator*(const Dim &other) const {
  if (unknownDim || other.unknownDim)
    return unknown();
  constexpr size_t kMostTerms = 1024, kMostFactors = 64; // no graph needs more, and a hostile one doubles them in each step
  Dim product;
  for (auto &[left, a] : terms)
    for (auto &[right, b] : other.terms) {
      if (product.terms.size() > kMostTerms || left.size() + right.size() > kMostFactors)
        return unknown();
      Monomial names = left;
      names.insert(names.end(), right.begin(), right.end());
      llvm::sort(names);
      int64_t value = 0;
      if (llvm::MulOverflow(a, b, value) || !product.addTerm(names, value))
        return unknown();
    }
  return combineQuotients(product);
}

std::optional<Dim> Dim::dividedBy(int64_t divisor) const {
  if (unknownDim)
    return unknown();
  Dim quotient = *this;
  for (auto &term : quotient.terms) {
    if (term.second % divisor)
      return std::nullopt;
    term.second /= divisor;
  }
  return quotient;
}

/// Returns the term of the highest degree, among these the last in order: products of leading terms lead.
static std::pair<Dim::Monomial, int64_t> leadingTerm(const Dim &dim) {
  std::pair<Dim::Monomial, int64_t> best{{}, 0};
  for (const auto &[names, coefficient] : dim.getTerms())
    if (!best.second || names.size() > best.first.size() || (names.size() == best.first.size() && names > best.first))
      best = {names, coefficient};
  return best;
}

static Dim termOf(const Dim::Monomial &names, int64_t coefficient) {
  Dim term(coefficient);
  for (const std::string &name : names)
    term = term * Dim::named(name);
  return term;
}

std::pair<Dim, Dim> Dim::dividedBy(const Dim &divisor) const {
  constexpr unsigned kMostSteps = 64; // terms of a hostile graph's sizes multiply
  auto [names, coefficient] = leadingTerm(divisor);
  Dim quotient, rest, left = *this;
  for (unsigned step = 0; step < kMostSteps && !left.isUnknown() && coefficient != 0 && left != Dim(0); ++step) {
    auto [leftNames, leftCoefficient] = leadingTerm(left);
    Monomial others;
    std::set_difference(leftNames.begin(), leftNames.end(), names.begin(), names.end(), std::back_inserter(others));
    bool divides = others.size() + names.size() == leftNames.size() && !(coefficient == -1 && leftCoefficient == INT64_MIN) &&
                   leftCoefficient % coefficient == 0;
    Dim term = divides ? termOf(others, leftCoefficient / coefficient) : termOf(leftNames, leftCoefficient);
    (divides ? quotient : rest) = (divides ? quotient : rest) + term;
    left = left - (divides ? term * divisor : term);
  }
  return {quotient, rest + left};
}

static Dim substituteName(const std::string &name, const std::map<std::string, Dim> &values) {
  if (auto it = values.find(name); it != values.end())
    return it->second;
  std::optional<DerivedDim> derived = derivedDim(name);
  if (!derived)
    return Dim::named(name);
  for (Dim &operand : derived->operands)
    operand = operand.substitute(values);
  return derived->with(derived->operands);
}

Dim Dim::substitute(const std::map<std::string, Dim> &values) const {
  if (unknownDim)
    return *this;
  Dim result;
  for (auto &[names, coefficient] : terms) {
    Dim term(coefficient);
    for (const std::string &name : names)
      term = term * substituteName(name, values);
    result = result + term;
  }
  return result;
}

void Dim::collectNames(llvm::SmallVectorImpl<std::string> &names) const {
  for (auto &term : terms)
    for (const std::string &name : term.first)
      if (std::optional<DerivedDim> derived = derivedDim(name)) {
        for (const Dim &operand : derived->operands)
          operand.collectNames(names);
      } else if (!llvm::is_contained(names, name)) {
        names.push_back(name);
      }
}

std::string Dim::str() const {
  if (unknownDim)
    return "?";
  std::string text;
  auto append = [&](const Monomial &names, int64_t coefficient) {
    if (!text.empty())
      text += coefficient < 0 ? " - " : " + ";
    else if (coefficient < 0)
      text += "-";
    uint64_t size = coefficient < 0 ? -uint64_t(coefficient) : coefficient;
    if (size != 1 || names.empty() || coefficient < 0) // "- 1 * N": the lexer takes a minus only with a number
      text += std::to_string(size) + (names.empty() ? "" : " * ");
    text += llvm::join(names, " * ");
  };
  for (auto &[names, coefficient] : terms)
    if (!names.empty())
      append(names, coefficient);
  if (constant() || text.empty())
    append({}, constant());
  return text;
}

DimAttr Dim::toAttr(MLIRContext *context) const {
  SmallVector<int64_t> coefficients;
  SmallVector<ArrayAttr> monomials;
  Builder builder(context);
  for (auto &[names, coefficient] : terms) {
    SmallVector<Attribute> strings;
    for (const std::string &name : names)
      strings.push_back(builder.getStringAttr(name));
    coefficients.push_back(coefficient);
    monomials.push_back(builder.getArrayAttr(strings));
  }
  return DimAttr::get(context, coefficients, monomials);
}

Dim Dim::fromAttr(DimAttr attr) {
  Dim dim;
  for (auto [coefficient, names] : llvm::zip_equal(attr.getCoefficients(), attr.getMonomials())) {
    Monomial monomial;
    for (Attribute name : names)
      monomial.push_back(cast<StringAttr>(name).getValue().str());
    dim.terms[monomial] = coefficient;
  }
  return dim;
}

Dims lathe::dimsOf(RankedTensorType type) {
  auto encoding = dyn_cast_or_null<DimsAttr>(type.getEncoding());
  Dims dims;
  unsigned dynamic = 0;
  for (int64_t extent : type.getShape()) {
    if (!ShapedType::isDynamic(extent))
      dims.push_back(Dim(extent));
    else
      dims.push_back(encoding ? Dim::fromAttr(encoding.getDims()[dynamic++]) : Dim::unknown());
  }
  return dims;
}

RankedTensorType lathe::tensorOf(ArrayRef<Dim> dims, Type element) {
  SmallVector<int64_t> shape;
  SmallVector<DimAttr> names;
  bool complete = true;
  for (const Dim &dim : dims) {
    shape.push_back(dim.isStatic() ? dim.constant() : ShapedType::kDynamic);
    complete &= !dim.isUnknown();
    if (complete && !dim.isStatic())
      names.push_back(dim.toAttr(element.getContext()));
  }
  Attribute encoding = complete && !names.empty() ? DimsAttr::get(element.getContext(), names) : Attribute();
  return RankedTensorType::get(shape, element, encoding);
}

Dims lathe::dimsOf(ShapeAttr shape) {
  Dims dims;
  for (DimAttr dim : shape.getDims())
    dims.push_back(Dim::fromAttr(dim));
  return dims;
}

ShapeAttr lathe::shapeOf(MLIRContext *context, ArrayRef<Dim> dims) {
  SmallVector<DimAttr> attrs;
  for (const Dim &dim : dims)
    attrs.push_back(dim.toAttr(context));
  return ShapeAttr::get(context, attrs);
}

Dim lathe::productOf(ArrayRef<Dim> dims) {
  Dim product(1);
  for (const Dim &dim : dims)
    product = product * dim;
  return product;
}

std::optional<Dim> lathe::numElements(ArrayRef<Dim> dims) {
  int64_t constant = 1;
  bool zero = false;
  Dim rest(1);
  for (const Dim &dim : dims) {
    if (dim.isStatic(0))
      zero = true;
    if (!dim.isStatic())
      rest = rest * dim;
    else if (dim.constant() && llvm::MulOverflow(constant, dim.constant(), constant))
      return std::nullopt;
  }
  if (zero)
    return Dim(0);
  Dim product = rest * Dim(constant);
  return hasOverflowed(product, dims) ? std::nullopt : std::optional(product);
}

static thread_local DimComparisons *currentComparisons = nullptr;

DimComparisons::DimComparisons() : outer(currentComparisons) { currentComparisons = this; }
DimComparisons::~DimComparisons() { currentComparisons = outer; }

void DimComparisons::record(const Dim &a, const Dim &b) {
  if (currentComparisons && !currentComparisons->differing)
    currentComparisons->differing.emplace(a, b);
}

bool lathe::mayEqual(const Dim &a, const Dim &b) {
  if (a.isUnknown() || b.isUnknown() || a == b)
    return true;
  DimComparisons::record(a, b);
  return false;
}

Dim lathe::dilated(const Dim &extent, int64_t pitch) {
  return pitch == 1 ? extent : maxOf((extent - Dim(1)) * Dim(pitch) + Dim(1), Dim(0));
}

Dims lathe::namedAs(ArrayRef<Dim> result, ArrayRef<Dim> operand) {
  Dims dims(result);
  if (llvm::any_of(operand, [](const Dim &dim) { return dim.isUnknown(); }))
    for (Dim &dim : dims)
      dim = dim.isStatic() ? dim : Dim::unknown();
  return dims;
}

bool lathe::equalButForNames(TypeRange inferred, TypeRange given) {
  return inferred.size() == given.size() && llvm::all_of(llvm::zip_equal(inferred, given), [](auto pair) {
           auto [a, b] = pair;
           auto left = dyn_cast<RankedTensorType>(a), right = dyn_cast<RankedTensorType>(b);
           if (!left || !right || right.getEncoding())
             return a == b;
           return left.getShape() == right.getShape() && left.getElementType() == right.getElementType();
         });
}

std::string lathe::str(ArrayRef<Dim> dims) {
  std::string text = "[";
  for (auto [i, dim] : llvm::enumerate(dims))
    text += (i ? ", " : "") + dim.str();
  return text + "]";
}
