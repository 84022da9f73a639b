#include "dialects/Lathe/IR/DerivedDims.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace lathe;

/// Formulas of formulas end here: a hostile graph's are no deeper than their text is long.
static constexpr size_t kLongestFormula = 1024;

static int64_t ceilSqrt(int64_t size) {
  auto root = int64_t(std::sqrt(double(size)));
  while (root > 0 && (root - 1) * (root - 1) >= size)
    --root;
  while (root * root < size)
    ++root;
  return root;
}

std::optional<int64_t> DerivedDim::of(int64_t size) const {
  constexpr int64_t kLargest = int64_t(1) << 62; // its root's square still fits
  if (size < 0 || size > kLargest)
    return std::nullopt;
  return kind == CeilDiv ? int64_t(llvm::divideCeil(uint64_t(size), uint64_t(divisor))) : ::ceilSqrt(size);
}

Dim DerivedDim::with(const Dim &other) const { return kind == CeilDiv ? ceilDiv(other, divisor) : lathe::ceilSqrt(other); }

static Dim named(DerivedDim::Kind kind, const std::string &arguments) {
  std::string text = (DerivedDim::kNames[kind] + "(" + arguments + ")").str();
  return text.size() > kLongestFormula ? Dim::unknown() : Dim::named(text);
}

/// The only formula in it, if the rest is a number.
static std::optional<DerivedDim> onlyFormula(const Dim &dim) {
  Dim rest = dim - Dim(dim.constant());
  if (rest.getTerms().size() != 1)
    return std::nullopt;
  auto &[names, coefficient] = *rest.getTerms().begin();
  return names.size() == 1 && coefficient == 1 ? derivedDim(names.front()) : std::nullopt;
}

Dim lathe::ceilDiv(const Dim &dim, int64_t divisor) {
  if (dim.isUnknown() || divisor <= 1)
    return dim;
  Dim whole(0), rest(0); // dim = whole * divisor + rest, rest's coefficients from 0 to divisor - 1
  for (auto &[names, coefficient] : dim.getTerms()) {
    Dim term(1);
    for (const std::string &name : names)
      term = term * Dim::named(name);
    int64_t quotient = llvm::divideFloorSigned(coefficient, divisor);
    whole = whole + term * Dim(quotient);
    rest = rest + term * Dim(coefficient - quotient * divisor);
  }
  if (rest.isStatic())
    return whole + Dim(rest.constant() > 0);
  if (std::optional<DerivedDim> inner = onlyFormula(rest); inner && inner->kind == DerivedDim::CeilDiv) {
    int64_t product = 0;
    if (!llvm::MulOverflow(inner->divisor, divisor, product))
      return whole + ceilDiv(inner->operand + Dim(rest.constant()) * Dim(inner->divisor), product);
  }
  return whole + named(DerivedDim::CeilDiv, rest.str() + ", " + std::to_string(divisor));
}

Dim lathe::ceilSqrt(const Dim &dim) {
  if (dim.isUnknown())
    return dim;
  if (dim.isStatic()) {
    std::optional<int64_t> root = DerivedDim{DerivedDim::CeilSqrt, {}}.of(dim.constant());
    return root ? Dim(*root) : Dim::unknown();
  }
  return named(DerivedDim::CeilSqrt, dim.str());
}

/// Where the first of `separators` stands outside parentheses.
static size_t findOutside(llvm::StringRef text, llvm::ArrayRef<llvm::StringRef> separators) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0 &&
        llvm::any_of(separators, [&](llvm::StringRef separator) { return text.substr(i).starts_with(separator); }))
      return i;
  }
  return llvm::StringRef::npos;
}

std::optional<DerivedDim> lathe::derivedDim(llvm::StringRef name) {
  if (!name.ends_with(")") || name.size() > kLongestFormula)
    return std::nullopt;
  for (DerivedDim::Kind kind : {DerivedDim::CeilDiv, DerivedDim::CeilSqrt}) {
    llvm::StringRef arguments = name.drop_back();
    if (!arguments.consume_front(DerivedDim::kNames[kind]) || !arguments.consume_front("("))
      continue;
    DerivedDim derived{kind, {}};
    size_t comma = kind == DerivedDim::CeilDiv ? findOutside(arguments, {", "}) : llvm::StringRef::npos;
    derived.operand = dimFromText(arguments.substr(0, comma));
    bool hasDivisor = comma != llvm::StringRef::npos && !arguments.substr(comma + 2).getAsInteger(10, derived.divisor);
    if (derived.operand.isUnknown() || hasDivisor != (kind == DerivedDim::CeilDiv) || derived.divisor < 1)
      return std::nullopt;
    return derived;
  }
  return std::nullopt;
}

static Dim factorFromText(llvm::StringRef text) {
  int64_t number = 0;
  if (!text.getAsInteger(10, number))
    return Dim(number);
  return text.empty() || text == "?" ? Dim::unknown() : Dim::named(text);
}

Dim lathe::dimFromText(llvm::StringRef text) {
  Dim sum(0);
  bool isNegative = text.consume_front("-");
  while (true) {
    size_t end = findOutside(text, {" + ", " - "});
    Dim term(isNegative ? -1 : 1);
    for (llvm::StringRef product = text.substr(0, end);;) {
      size_t star = findOutside(product, {" * "});
      term = term * factorFromText(product.substr(0, star));
      if (star == llvm::StringRef::npos)
        break;
      product = product.substr(star + 3);
    }
    sum = sum + term;
    if (end == llvm::StringRef::npos)
      return sum;
    isNegative = text[end + 1] == '-';
    text = text.substr(end + 3);
  }
}

void lathe::collectFactors(const Dim &dim, llvm::SmallVectorImpl<std::string> &factors) {
  for (auto &term : dim.getTerms())
    for (const std::string &name : term.first)
      if (!llvm::is_contained(factors, name))
        factors.push_back(name);
}

Dims lathe::operandsOfFormulas(llvm::ArrayRef<Dim> dims) {
  Dims operands;
  llvm::SmallVector<std::string> factors;
  for (const Dim &dim : dims)
    collectFactors(dim, factors);
  for (const std::string &factor : factors)
    if (std::optional<DerivedDim> derived = derivedDim(factor)) {
      operands.append(operandsOfFormulas(derived->operand));
      operands.push_back(derived->operand);
    }
  return operands;
}
