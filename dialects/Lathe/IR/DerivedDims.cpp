#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/DimBounds.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <numeric>

using namespace lathe;

/// Limits nested formulas: their depth in a hostile graph is at most the length of their text.
static constexpr size_t kLongestFormula = 1024;

static int64_t ceilSqrt(int64_t size) {
  auto root = int64_t(std::sqrt(double(size)));
  while (root > 0 && (root - 1) * (root - 1) >= size)
    --root;
  while (root * root < size)
    ++root;
  return root;
}

std::optional<int64_t> DerivedDim::of(llvm::ArrayRef<int64_t> sizes) const {
  constexpr int64_t kLargest = int64_t(1) << 62; // the square of its root still fits
  const int64_t by = hasSizeAsDivisor() ? sizes[1] : divisor;
  if (by < 1)
    return std::nullopt;
  switch (kind) {
  case CeilDiv:
    return llvm::divideCeilSigned(sizes[0], by);
  case FloorDiv:
    return llvm::divideFloorSigned(sizes[0], by);
  case CeilSqrt:
    return sizes[0] < 0 || sizes[0] > kLargest ? std::nullopt : std::optional(::ceilSqrt(sizes[0]));
  case Max:
    return std::max(sizes[0], sizes[1]);
  case Min:
    return std::min(sizes[0], sizes[1]);
  case Broadcast:
    return sizes[0] == 1 ? sizes[1] : sizes[0];
  }
  return std::nullopt;
}

Dim DerivedDim::with(llvm::ArrayRef<Dim> others) const {
  switch (kind) {
  case CeilDiv:
    return hasSizeAsDivisor() ? floorDiv(others[0] + others[1] - Dim(1), others[1]) : ceilDiv(others[0], divisor);
  case FloorDiv:
    return hasSizeAsDivisor() ? floorDiv(others[0], others[1]) : floorDiv(others[0], divisor);
  case CeilSqrt:
    return lathe::ceilSqrt(others[0]);
  case Max:
    return maxOf(others[0], others[1]);
  case Min:
    return minOf(others[0], others[1]);
  case Broadcast:
    return broadcastOf(others[0], others[1]);
  }
  return Dim::unknown();
}

static Dim named(DerivedDim::Kind kind, const std::string &arguments) {
  std::string text = (DerivedDim::kNames[kind] + "(" + arguments + ")").str();
  return text.size() > kLongestFormula ? Dim::unknown() : Dim::named(text);
}

/// Returns the only formula of a dimension that is `formula + constant`.
static std::optional<DerivedDim> onlyFormula(const Dim &dim) {
  Dim rest = dim - Dim(dim.constant());
  if (rest.getTerms().size() != 1)
    return std::nullopt;
  auto &[names, coefficient] = *rest.getTerms().begin();
  return names.size() == 1 && coefficient == 1 ? derivedDim(names.front()) : std::nullopt;
}

/// Returns the greatest number that divides all coefficients except the constant's; 0 if there are none.
static int64_t commonFactor(const Dim &dim) {
  int64_t common = 0;
  for (auto &[names, coefficient] : dim.getTerms())
    if (!names.empty())
      common = std::gcd(common, coefficient);
  return common;
}

/// Returns ceil(rest / divisor), if nothing can be divided out of `rest` and its leading coefficient is positive.
static Dim ceilDivOfRest(const Dim &rest, int64_t divisor) {
  const Dim constant(rest.constant()), varying = rest - constant;
  if (int64_t common = std::gcd(commonFactor(rest), divisor); common > 1)
    return ceilDiv(*varying.dividedBy(common) + Dim(llvm::divideCeilSigned(rest.constant(), common)), divisor / common);
  std::optional<DerivedDim> inner = onlyFormula(rest);
  if (inner && inner->hasSizeAsDivisor())
    inner.reset();
  if (inner && inner->kind == DerivedDim::Max) // quotients rise with their operand
    return inner->with({ceilDiv(inner->operands[0] + constant, divisor), ceilDiv(inner->operands[1] + constant, divisor)});
  int64_t product = 0;
  if (inner && DerivedDim::isQuotient(inner->kind) && !llvm::MulOverflow(inner->divisor, divisor, product)) {
    // floor_div(x, d) is ceil_div(x + 1, d) - 1.
    Dim lowered = inner->kind == DerivedDim::FloorDiv ? Dim(1) - Dim(inner->divisor) : Dim(0);
    return ceilDiv(inner->operands[0] + lowered + constant * Dim(inner->divisor), product);
  }
  if (rest.constant() == 0)
    return named(DerivedDim::CeilDiv, rest.str() + ", " + std::to_string(divisor));
  return named(DerivedDim::FloorDiv, (rest - Dim(1)).str() + ", " + std::to_string(divisor)) + Dim(1);
}

/// Returns the quotient whose remainder is in [0, divisor) for the constant, and in [-divisor / 2, divisor / 2] for other
/// coefficients; a remainder at a bound has the coefficient's sign.
static int64_t quotientOf(int64_t coefficient, int64_t divisor, bool isConstant) {
  int64_t quotient = llvm::divideFloorSigned(coefficient, divisor), remainder = coefficient - quotient * divisor;
  bool isAboveHalf = coefficient < 0 ? remainder >= divisor - remainder : remainder > divisor - remainder;
  return !isConstant && isAboveHalf ? quotient + 1 : quotient;
}

static bool hasNegativeLead(const Dim &dim) {
  auto leading = llvm::find_if(dim.getTerms(), [](auto &term) { return !term.first.empty(); });
  return leading != dim.getTerms().end() && leading->second < 0;
}

Dim lathe::ceilDiv(const Dim &dim, int64_t divisor) {
  if (dim.isUnknown() || divisor <= 1)
    return dim;
  Dim whole(0), rest(0); // dim = whole * divisor + rest
  for (auto &[names, coefficient] : dim.getTerms()) {
    Dim term(1);
    for (const std::string &name : names)
      term = term * Dim::named(name);
    int64_t quotient = quotientOf(coefficient, divisor, names.empty());
    whole = whole + term * Dim(quotient);
    rest = rest + term * Dim(coefficient - quotient * divisor);
  }
  if (rest.isStatic())
    return whole + Dim(rest.constant() > 0);
  // An extreme can bound the rest: the quotient of max(x, 0) - x, which is 0 or 1 for x >= -1.
  const double least = leastOf(rest, anySize), largest = largestOf(rest, anySize);
  auto constantOf = [&](int64_t subtracted) -> std::optional<int64_t> {
    double low = std::ceil((least - double(subtracted)) / double(divisor)),
           high = std::ceil((largest - double(subtracted)) / double(divisor));
    return low == high && std::isfinite(low) ? std::optional(int64_t(low)) : std::nullopt;
  };
  if (std::optional<int64_t> constant = constantOf(0))
    return whole + Dim(*constant);
  // ceil(x / d) + ceil((x - d / 2) / d) is ceil(x / (d / 2)). Where one of the former is a constant, the latter has one form
  // less.
  if (std::optional<int64_t> upper = divisor % 2 ? std::nullopt : constantOf(divisor / 2))
    return whole + ceilDiv(rest, divisor / 2) - Dim(*upper);
  return whole + (hasNegativeLead(rest) ? Dim(0) - floorDiv(Dim(0) - rest, divisor) : ceilDivOfRest(rest, divisor));
}

Dim lathe::floorDiv(const Dim &dim, int64_t divisor) { return divisor <= 1 ? dim : ceilDiv(dim - Dim(divisor - 1), divisor); }

/// Returns the product of the names and of the number that divide all terms of both; 1 if there are none.
static Dim commonTerm(const Dim &a, const Dim &b) {
  std::optional<Dim::Monomial> shared;
  int64_t number = 0;
  for (const Dim *dim : {&a, &b})
    for (auto &[names, coefficient] : dim->getTerms()) {
      Dim::Monomial both;
      if (shared)
        std::set_intersection(shared->begin(), shared->end(), names.begin(), names.end(), std::back_inserter(both));
      shared = shared ? both : names;
      number = std::gcd(number, coefficient);
    }
  Dim common(std::max<int64_t>(number, 1));
  for (const std::string &name : shared.value_or(Dim::Monomial()))
    common = common * Dim::named(name);
  return common;
}

Dim lathe::floorDiv(const Dim &dim, const Dim &divisor) {
  if (dim.isUnknown() || divisor.isUnknown() || (divisor.isStatic() && divisor.constant() < 1))
    return Dim::unknown();
  if (divisor.isStatic())
    return floorDiv(dim, divisor.constant());
  if (Dim common = commonTerm(dim, divisor); common != Dim(1))
    return floorDiv(dim.dividedBy(common).first, divisor.dividedBy(common).first);
  auto [whole, rest] = dim.dividedBy(divisor);
  int64_t least = std::gcd(commonFactor(divisor), divisor.constant()); // of all divisors above 0
  double low = leastOf(rest, anySize), high = largestOf(rest, anySize);
  if ((low >= 0 && high < double(least)) || (low >= -double(least) && high < 0))
    return whole - Dim(high < 0);
  return whole + named(DerivedDim::FloorDiv, rest.str() + ", " + divisor.str());
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

/// Returns max(dim, 0).
static Dim positivePart(const Dim &dim) {
  if (dim.isUnknown() || leastOf(dim, anySize) >= 0)
    return dim;
  if (largestOf(dim, anySize) <= 0)
    return Dim(0);
  if (int64_t common = std::gcd(commonFactor(dim), dim.constant()); common > 1)
    return positivePart(*dim.dividedBy(common)) * Dim(common);
  if (hasNegativeLead(dim))
    return positivePart(Dim(0) - dim) + dim;
  return named(DerivedDim::Max, dim.str() + ", 0");
}

Dim lathe::maxOf(const Dim &a, const Dim &b) { return b + positivePart(a - b); }
Dim lathe::minOf(const Dim &a, const Dim &b) { return a - positivePart(a - b); }

Dim lathe::broadcastOf(const Dim &a, const Dim &b) {
  if (a.isUnknown() || b.isUnknown())
    return Dim::unknown();
  if (a.isStatic(1))
    return b;
  bool canBeOne = leastOf(a - Dim(1), anySize) <= 0 && largestOf(a - Dim(1), anySize) >= 0;
  if (a == b || b.isStatic(1) || !canBeOne)
    return a;
  // The broadcast of x and y is 1 only where both are.
  std::optional<DerivedDim> inner = a.constant() == 0 ? onlyFormula(a) : std::nullopt;
  if (inner && inner->kind == DerivedDim::Broadcast && llvm::is_contained(inner->operands, b))
    return a;
  return named(DerivedDim::Broadcast, a.str() + ", " + b.str());
}

/// Returns the position of the first of `separators` outside parentheses.
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

/// Parses the arguments of a formula of this kind.
static bool readArguments(llvm::StringRef arguments, DerivedDim &formula) {
  size_t comma = formula.kind == DerivedDim::CeilSqrt ? llvm::StringRef::npos : findOutside(arguments, {", "});
  formula.operands.push_back(dimFromText(arguments.substr(0, comma)));
  bool hasSecond = comma != llvm::StringRef::npos;
  if (hasSecond != (formula.kind != DerivedDim::CeilSqrt))
    return false;
  bool hasNumber = DerivedDim::isQuotient(formula.kind) && !arguments.substr(comma + 2).getAsInteger(10, formula.divisor);
  if (hasSecond && !hasNumber)
    formula.operands.push_back(dimFromText(arguments.substr(comma + 2)));
  return formula.divisor >= 1 && llvm::none_of(formula.operands, [](const Dim &dim) { return dim.isUnknown(); });
}

std::optional<DerivedDim> lathe::derivedDim(llvm::StringRef name) {
  if (!name.ends_with(")") || name.size() > kLongestFormula)
    return std::nullopt;
  for (DerivedDim::Kind kind : DerivedDim::kKinds) {
    llvm::StringRef arguments = name.drop_back();
    if (!arguments.consume_front(DerivedDim::kNames[kind]) || !arguments.consume_front("("))
      continue;
    DerivedDim derived{kind, {}};
    return readArguments(arguments, derived) ? std::optional(derived) : std::nullopt;
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

std::optional<Dim> lathe::dimFromUser(llvm::StringRef given) {
  std::string text; // as it is printed
  for (char c : given)
    if (c == ',')
      text += ", ";
    else if (c == '+' || c == '*' || (c == '-' && !text.empty() && text.back() != ' ' && text.back() != '('))
      text += {' ', c, ' '};
    else if (c != ' ')
      text += c;
  Dim dim = dimFromText(text);
  bool areNames = llvm::all_of(namesIn(dim), [](llvm::StringRef name) {
    return (llvm::isAlpha(name.front()) || name.front() == '_') &&
           llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  });
  return dim.isUnknown() || !areNames ? std::nullopt : std::optional(dim);
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
      operands.append(operandsOfFormulas(derived->operands));
      if (derived->kind == DerivedDim::CeilSqrt)
        operands.push_back(derived->operands[0]);
      if (derived->hasSizeAsDivisor())
        operands.push_back(derived->operands[1] - Dim(1));
    }
  return operands;
}
