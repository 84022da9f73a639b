#include "dialects/Lathe/Std/Expression.h"
#include "dialects/Lathe/IR/Real.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mlir;
using namespace lathe;
using namespace lathe::composites;

std::string lathe::composites::str(const Term &term) {
  if (auto *dim = std::get_if<Dim>(&term))
    return dim->str();
  if (auto *dims = std::get_if<Dims>(&term))
    return StringRef(lathe::str(*dims)).drop_front().drop_back().str();
  if (auto *word = std::get_if<std::string>(&term))
    return *word;
  std::string text;
  llvm::raw_string_ostream out(text);
  if (auto *real = std::get_if<double>(&term))
    out << Real(*real);
  else
    out << (std::get<bool>(term) ? "true" : "false");
  return text;
}

bool lathe::composites::isTrue(const Term &term) {
  auto *truth = std::get_if<bool>(&term);
  return truth && *truth;
}

namespace {
class Evaluator {
public:
  Evaluator(StringRef text, const Scope &scope) : text(text), rest(text), scope(scope) {}

  llvm::Expected<Term> run() {
    skip();
    StringRef saved = rest;
    if (word() == "not") {
      Term term = sum();
      return finish(!isTrue(term));
    }
    rest = saved;
    Term left = sum();
    for (StringRef sign : {"==", "!=", "<=", ">=", "<", ">"})
      if (take(sign)) {
        Term right = sum();
        return finish(compare(left, sign, right));
      }
    return finish(left);
  }

private:
  StringRef text, rest;
  const Scope &scope;
  std::string error;

  void fail(const llvm::Twine &what) {
    if (error.empty())
      error = (what + " in '" + text + "'").str();
  }
  llvm::Expected<Term> finish(Term term) {
    skip();
    if (!rest.empty())
      fail("'" + rest + "' is left over after the expression");
    if (!error.empty())
      return llvm::createStringError(error);
    return term;
  }
  void skip() { rest = rest.ltrim(); }
  bool take(StringRef sign) {
    skip();
    return rest.consume_front(sign);
  }
  StringRef word() {
    skip();
    StringRef found = rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    rest = rest.drop_front(found.size());
    return found;
  }

  static std::optional<double> realOf(const Term &term) {
    if (auto *real = std::get_if<double>(&term))
      return *real;
    auto *dim = std::get_if<Dim>(&term);
    return dim && dim->isStatic() ? std::optional<double>(double(dim->constant())) : std::nullopt;
  }
  int64_t integer(const Term &term) {
    auto *dim = std::get_if<Dim>(&term);
    if (dim && dim->isStatic())
      return dim->constant();
    fail("'" + str(term) + "' is not an integer");
    return 0;
  }
  static Dims listOf(const Term &term) {
    if (auto *list = std::get_if<Dims>(&term))
      return *list;
    auto *dim = std::get_if<Dim>(&term);
    return dim ? Dims{*dim} : Dims{};
  }

  bool compare(const Term &left, StringRef sign, const Term &right) {
    if (sign == "==" || sign == "!=")
      return (str(left) == str(right)) == (sign == "==");
    std::optional<double> a = realOf(left), b = realOf(right);
    if (!a || !b) // unknown sizes are neither equal nor unequal
      return false;
    return sign == "<" ? *a < *b : sign == "<=" ? *a <= *b : sign == ">" ? *a > *b : *a >= *b;
  }

  Term arithmetic(const Term &left, char sign, const Term &right) {
    auto *a = std::get_if<Dim>(&left), *b = std::get_if<Dim>(&right);
    if (a && b) {
      if (sign != '/')
        return sign == '+' ? *a + *b : sign == '-' ? *a - *b : *a * *b;
      int64_t divisor = integer(*b);
      std::optional<Dim> quotient = divisor ? a->dividedBy(divisor) : std::nullopt;
      if (!quotient)
        fail(a->str() + " is not a multiple of " + b->str());
      return quotient.value_or(Dim());
    }
    std::optional<double> x = realOf(left), y = realOf(right);
    if (!x || !y) {
      fail("'" + str(left) + "' and '" + str(right) + "' are not both numbers");
      return Dim();
    }
    return sign == '+' ? *x + *y : sign == '-' ? *x - *y : sign == '*' ? *x * *y : *x / *y;
  }

  Term sum() {
    Term term = product();
    while (true)
      if (take("+"))
        term = arithmetic(term, '+', product());
      else if (take("-"))
        term = arithmetic(term, '-', product());
      else
        return term;
  }
  Term product() {
    Term term = factor();
    while (true)
      if (take("*"))
        term = arithmetic(term, '*', factor());
      else if (take("/"))
        term = arithmetic(term, '/', factor());
      else
        return term;
  }
  std::vector<Term> listUntil(StringRef end) {
    std::vector<Term> terms;
    if (take(end))
      return terms;
    do
      terms.push_back(sum());
    while (take(","));
    if (!take(end))
      fail("expected '" + end + "'");
    return terms;
  }
  Term factor() {
    if (take("-"))
      return arithmetic(Dim(0), '-', factor());
    if (take("(")) {
      Term term = sum();
      if (!take(")"))
        fail("expected ')'");
      return term;
    }
    if (take("[")) {
      Dims list;
      for (const Term &term : listUntil("]"))
        llvm::append_range(list, listOf(term));
      return list;
    }
    if (take("%"))
      return "%" + word().str();
    if (take("\"")) {
      auto [quoted, behind] = rest.split('"');
      rest = behind;
      return quoted.str();
    }
    if (!rest.empty() && llvm::isDigit(rest[0]))
      return number();
    StringRef name = word();
    if (name.empty()) {
      fail("expected a value");
      return Dim();
    }
    if (take("("))
      return call(name, listUntil(")"));
    auto it = scope.options.find(name.str());
    return it == scope.options.end() ? Term(name.str()) : it->second;
  }
  Term number() {
    StringRef digits = rest.take_while([](char c) { return llvm::isAlnum(c) || c == '.'; });
    rest = rest.drop_front(digits.size());
    if ((digits.ends_with("e")) && !rest.empty()) { // 1.0e-5
      digits = StringRef(digits.data(), digits.size() + 1 + rest.drop_front().take_while(llvm::isDigit).size());
      rest = rest.drop_front(1 + rest.drop_front().take_while(llvm::isDigit).size());
    }
    int64_t value;
    double real = 0;
    if (!digits.getAsInteger(10, value))
      return Dim(value);
    if (digits.getAsDouble(real))
      fail("'" + digits + "' is not a number");
    return real;
  }

  // ---- Functions

  RankedTensorType typeOf(const Term &term) {
    auto it = scope.values.find(StringRef(str(term)).drop_while([](char c) { return c == '%'; }).str());
    if (it != scope.values.end())
      return it->second;
    fail("there is no value " + str(term));
    return {};
  }
  static Term typeOf(const Dims &extents, const std::string &element) {
    std::string text = "tensor<";
    for (const Dim &extent : extents)
      text += (extent.isStatic() ? extent.str() : "?") + "x";
    return text + element + ">";
  }
  Dims extentsOf(const Term &term) {
    auto it = scope.extents.find(StringRef(str(term)).drop_while([](char c) { return c == '%'; }).str());
    if (it != scope.extents.end())
      return it->second;
    fail("the extents of " + str(term) + ", which is not an operand, are not known");
    return {};
  }
  bool isListed(const Dims &dims, int64_t dim) {
    return llvm::any_of(dims, [&](const Dim &each) { return each.isStatic(dim); });
  }

  Term call(StringRef name, const std::vector<Term> &arguments) {
    size_t expected = llvm::StringSwitch<size_t>(name)
                          .Cases({"rank", "shape", "element", "is_static"}, 1)
                          .Cases({"zeros", "ones", "zero", "least", "pairs", "product", "sqrt", "log"}, 1)
                          .Cases({"extent", "kept", "without", "count", "others", "range", "type", "when", "floats"}, 2)
                          .Case("replaced", 3)
                          .Default(0);
    if (!expected || arguments.size() != expected) {
      fail("'" + name + "' is not a function of " + llvm::Twine(arguments.size()) + " values");
      return Dim();
    }
    if (llvm::is_contained({"rank", "element", "zeros", "ones", "zero", "least"}, name))
      return ofType(name, typeOf(arguments[0]));
    if (llvm::is_contained({"range", "is_static", "replaced", "pairs", "product", "sqrt", "log"}, name))
      return ofNumbers(name, arguments);
    if (name == "when")
      return isTrue(arguments[0]) ? str(arguments[1]) : std::string();
    if (name == "type")
      return typeOf(listOf(arguments[0]), str(arguments[1]));
    if (name == "floats")
      return floats(arguments[0], integer(arguments[1]));
    if (name == "others")
      return others(typeOf(arguments[0]), listOf(arguments[1]));
    return ofExtents(name, extentsOf(arguments[0]), arguments.size() > 1 ? arguments[1] : Term(Dim()));
  }

  Term ofType(StringRef name, RankedTensorType type) {
    if (!type)
      return Dim();
    Type element = type.getElementType();
    if (name == "rank")
      return Dim(type.getRank());
    if (name == "zeros" || name == "ones")
      return Dims(type.getRank(), Dim(name == "ones"));
    if (name == "zero")
      return std::string(isa<FloatType>(element) ? "0.0" : "0");
    std::string text;
    llvm::raw_string_ostream out(text);
    if (auto real = dyn_cast<FloatType>(element); real && name == "least") {
      llvm::APInt bits = llvm::APFloat::getInf(real.getFloatSemantics(), /*Negative=*/true).bitcastToAPInt();
      llvm::SmallString<16> digits;
      bits.toStringUnsigned(digits, 16);
      out << "0x" << digits;
    } else if (name == "least")
      out << (element.isUnsignedInteger() ? 0 : llvm::minIntN(element.getIntOrFloatBitWidth()));
    else
      out << element;
    return text;
  }

  Term ofNumbers(StringRef name, const std::vector<Term> &arguments) {
    if (name == "is_static")
      return std::holds_alternative<Dim>(arguments[0]) && std::get<Dim>(arguments[0]).isStatic();
    if (name == "sqrt" || name == "log") {
      double number = realOf(arguments[0]).value_or(NAN);
      return name == "sqrt" ? std::sqrt(number) : std::log(number);
    }
    Dims list = listOf(arguments[0]), result;
    if (name == "range")
      for (int64_t i = integer(arguments[0]), end = integer(arguments[1]); i < end; ++i)
        result.push_back(Dim(i));
    if (name == "replaced")
      for (auto [i, entry] : llvm::enumerate(list))
        result.append(int64_t(i) == integer(arguments[1]) ? listOf(arguments[2]) : Dims{entry});
    if (name == "range" || name == "replaced")
      return result;
    if (name == "product")
      return productOf(list);
    std::string pairs;
    for (const Dim &entry : list)
      pairs += (pairs.empty() ? "[" : ", [") + entry.str() + ", " + entry.str() + "]";
    return pairs;
  }

  /// Returns the positions of the floats among a list's values. The list's own name says if it is given.
  Term floats(const Term &list, int64_t first) {
    Dims places;
    std::string name = str(list).substr(1);
    auto count = scope.lists.find(name);
    for (size_t i = 0; count != scope.lists.end() && i < count->second; ++i)
      if (isa<FloatType>(scope.values.at(name + "_" + std::to_string(i)).getElementType()))
        places.push_back(Dim(first + int64_t(i)));
    return places;
  }

  Term others(RankedTensorType type, const Dims &dims) {
    Dims result;
    for (int64_t i = 0; type && i < type.getRank(); ++i)
      if (!isListed(dims, i))
        result.push_back(Dim(i));
    return result;
  }

  Term ofExtents(StringRef name, const Dims &extents, const Term &argument) {
    if (name == "shape")
      return extents;
    if (name == "extent") {
      int64_t dim = integer(argument), rank = extents.size();
      dim += dim < 0 ? rank : 0;
      if (dim < 0 || dim >= rank) {
        fail("there is no dimension " + str(argument));
        return Dim();
      }
      return extents[dim];
    }
    Dims chosen = listOf(argument), result;
    Dim product(1);
    for (auto [i, extent] : llvm::enumerate(extents)) {
      bool listed = isListed(chosen, i);
      product = listed ? product * extent : product;
      if (name == "kept")
        result.push_back(listed ? Dim(1) : extent);
      else if (!listed)
        result.push_back(extent);
    }
    return name == "count" ? Term(product) : Term(result);
  }
};
} // namespace

llvm::Expected<Term> lathe::composites::evaluate(StringRef text, const Scope &scope) { return Evaluator(text, scope).run(); }
