// Products: MatMul, Gemm, Einsum.
#include "lib/Import/ONNX/Operators/Dequantized.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

Value onnximport::matrixProduct(Node &node, Value lhs, Value rhs) {
  int64_t left = rankOf(lhs), right = rankOf(rhs);
  if (node.failed() || left == 0 || right == 0)
    return node.refuse("expected operands of rank 1 and more"), Value();
  if (left <= 2 || right <= 2) { // one of them has no batch dimensions, so all of its dimensions are free
    int64_t contracted = right == 1 ? 0 : right - 2;
    if (right <= 2)
      return node.contract(lhs, rhs, left - 1, contracted);
    Value product = node.contract(lhs, rhs, left - 1, contracted); // [rows, batch, columns]
    Integers order = range(0, rankOf(product));
    if (left == 2)
      std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
    return node.transpose(product, order);
  }
  Dims a = dimsOf(lhs), b = dimsOf(rhs);
  std::optional<Dims> batch = node.broadcastShapes({Dims(ArrayRef(a).drop_back(2)), Dims(ArrayRef(b).drop_back(2))});
  if (!batch)
    return node.refuse("operands of shape " + str(a) + " and " + str(b) + " do not broadcast"), Value();
  auto widen = [&](Value value, ArrayRef<Dim> matrix) {
    Dims shape = *batch;
    shape.append(matrix.begin(), matrix.end());
    return node.broadcastTo(value, shape);
  };
  int64_t rank = batch->size();
  Integers dims = range(0, rank);
  return node.contract(widen(lhs, ArrayRef(a).take_back(2)), widen(rhs, ArrayRef(b).take_back(2)), rank + 1, rank, dims, dims);
}

/// Emits a product of a dequantised left operand and a matrix by their integers. Returns null if it is not worth that. `depth`
/// is the matrix's dimension that is summed over; input `bias` is added.
static Value dequantizedProduct(Node &node, Value a, Value b, int64_t depth, int bias) {
  if (node.failed() || rankOf(b) != 2 || rankOf(a) < 1)
    return {};
  std::optional<DequantizedPair> pair = dequantizedPair(a, b, dimsOf(b)[depth], /*anyZero=*/true);
  if (!pair)
    return {};
  Value scale = pair->right.scale;
  Dims columns(2, Dim(1));
  columns[1 - depth] = dimsOf(b)[1 - depth];
  if (dimsOf(scale) == columns)
    scale = node.reshape(scale, columns[1 - depth]);
  else if (!dimsOf(scale).empty())
    return {};
  Value sums = node.contract(pair->left.centred, pair->right.centred, rankOf(a) - 1, depth);
  return dequantizedSums(node, sums, pair->left.scale, scale, bias);
}

static void matMul(Node &node) {
  Value a = node.input(0), b = node.input(1), product = dequantizedProduct(node, a, b, /*depth=*/0, /*bias=*/2);
  node.set(0, product ? product : matrixProduct(node, a, b));
}

/// Emits alpha * A * B + beta * C, with either matrix transposed.
static void gemm(Node &node) {
  Type element = node.element(0);
  Value a = node.input(0), b = node.input(1), c = node.has(2) ? node.input(2) : Value();
  double alpha = node.real("alpha", 1), beta = node.real("beta", 1);
  if (!node.failed() && (rankOf(a) != 2 || rankOf(b) != 2))
    node.refuse("expected matrices");
  if (!isa_and_nonnull<FloatType>(element) && (alpha != 1 || beta != 1))
    node.refuse("alpha and beta of integers must be 1");
  bool isPlain = alpha == 1 && beta == 1 && !node.integer("transA", 0);
  if (Value product = isPlain ? dequantizedProduct(node, a, b, node.integer("transB", 0) ? 1 : 0, /*bias=*/2) : Value())
    return node.set(0, product);
  Value product = node.contract(a, b, node.integer("transA", 0) ? 0 : 1, node.integer("transB", 0) ? 1 : 0);
  if (alpha != 1)
    product = node.emit<MulOp>({product, node.constant(alpha, element)});
  if (c && beta != 1)
    c = node.emit<MulOp>({c, node.constant(beta, element)});
  Dims shape = dimsOfValue(product);
  Value without = product;
  if (c)
    product = node.emit<AddOp>({product, node.fitted(c, shape)});
  if (!node.failed() && dimsOfValue(product) != shape)
    return node.refuse("C of shape " + str(dimsOfValue(c)) + " does not broadcast to " + str(shape));
  node.set(0, beta == 0 ? without : product); // not even a NaN of C is kept
}

namespace {
/// An operand of Einsum: a letter for each dimension. The dimensions of "..." have letters from 128 on; the last dimension has
/// letter 128.
struct Term {
  Value value;
  std::string letters;
};
} // namespace

static constexpr int kFirstEllipsis = 128;

/// Returns the letters of one operand. `rank` is -1 for the result, which has `dots` dimensions in place of "...".
static std::optional<std::string> lettersOf(Node &node, StringRef text, int64_t rank, int64_t &dots) {
  std::string letters;
  size_t ellipsis = text.find("...");
  int64_t written = text.size() - (ellipsis == StringRef::npos ? 0 : 3);
  int64_t hidden = ellipsis == StringRef::npos ? 0 : rank < 0 ? dots : rank - written;
  if (hidden < 0 || hidden > 64 || (rank >= 0 && written + hidden != rank))
    return node.refuse("the term '" + text + "' does not match an operand of rank " + Twine(rank)), std::nullopt;
  dots = std::max(dots, hidden);
  for (size_t i = 0; i < text.size(); ++i) {
    if (i == ellipsis) {
      for (int64_t dim = hidden; dim-- > 0;)
        letters += char(kFirstEllipsis + dim);
      i += 2;
    } else if (!llvm::isAlpha(text[i])) {
      return node.refuse("the term '" + text + "' contains a character that is not a letter"), std::nullopt;
    } else {
      letters += text[i];
    }
  }
  return letters;
}

/// Merges dimensions with the same letter into one: keeps the diagonal, sets all other elements to 0 and sums them away.
static void takeDiagonals(Node &node, Term &term) {
  for (size_t i = 0; i < term.letters.size() && !node.failed(); ++i) {
    size_t first = term.letters.find(term.letters[i]);
    if (first == i)
      continue;
    Dims dims = dimsOfValue(term.value);
    if (dims[first] != dims[i])
      return node.refuse("one label stands for the different sizes " + dims[first].str() + " and " + dims[i].str() +
                         " in one term");
    Value isEqual = node.compare(CompareKind::EQ, node.iota(first, dims, node.i64()), node.iota(i, dims, node.i64()));
    Value zero = node.constantInt(0, elementOfValue(term.value));
    term.value = node.reduce(ReduceKind::Sum, node.emit<SelectOp>({isEqual, term.value, zero}), i, /*keep=*/false);
    term.letters.erase(i--, 1);
  }
}

/// Sums over the dimensions whose letters occur nowhere else.
static void sumUnused(Node &node, Term &term, StringRef others) {
  Integers gone;
  std::string left;
  for (auto [i, letter] : llvm::enumerate(term.letters)) {
    if (others.contains(letter))
      left += letter;
    else
      gone.push_back(i);
  }
  term = {node.reduce(ReduceKind::Sum, term.value, gone, /*keep=*/false), left};
}

/// Returns the product of two terms, summed over the letters that neither the result nor a later term has.
static Term multiply(Node &node, const Term &lhs, const Term &rhs, StringRef later) {
  Integers lhsContract, rhsContract, lhsBatch, rhsBatch;
  std::string batch, left, right;
  for (auto [i, letter] : llvm::enumerate(lhs.letters)) {
    size_t j = rhs.letters.find(letter);
    if (j == std::string::npos) {
      left += letter;
    } else if (later.contains(letter)) {
      batch += letter;
      lhsBatch.push_back(i), rhsBatch.push_back(j);
    } else {
      lhsContract.push_back(i), rhsContract.push_back(j);
    }
  }
  for (char letter : rhs.letters)
    if (lhs.letters.find(letter) == std::string::npos)
      right += letter;
  return {node.contract(lhs.value, rhs.value, lhsContract, rhsContract, lhsBatch, rhsBatch), batch + left + right};
}

/// Returns the result's letters for an equation without "->": "...", then each letter that occurs once, in alphabetical order.
static std::string implicitResult(StringRef inputs) {
  std::string result = inputs.contains("...") ? "..." : "";
  for (char letter = 'A'; letter <= 'z'; ++letter)
    if (llvm::isAlpha(letter) && inputs.count(letter) == 1)
      result += letter;
  return result;
}

static void einsum(Node &node) {
  std::string equation = node.text("equation", "");
  llvm::erase(equation, ' ');
  auto [inputs, result] = StringRef(equation).split("->");
  std::string output = StringRef(equation).contains("->") ? result.str() : implicitResult(inputs);
  SmallVector<StringRef> texts;
  inputs.split(texts, ',');
  if (int(texts.size()) != node.inputs())
    return node.refuse("the equation '" + equation + "' is not of " + Twine(node.inputs()) + " operands");
  SmallVector<Term> terms;
  int64_t dots = 0;
  for (auto [i, text] : llvm::enumerate(texts)) {
    std::optional<std::string> letters = lettersOf(node, text, node.rank(i), dots);
    if (!letters)
      return;
    terms.push_back({node.input(i), *letters});
  }
  std::optional<std::string> wanted = lettersOf(node, output, -1, dots);
  if (!wanted)
    return;
  for (size_t i = 0; i < terms.size() && !node.failed(); ++i) {
    std::string others = *wanted;
    for (size_t j = 0; j < terms.size(); ++j)
      others += j == i ? "" : terms[j].letters;
    takeDiagonals(node, terms[i]);
    sumUnused(node, terms[i], others);
  }
  Term product = terms[0];
  for (size_t i = 1; i < terms.size() && !node.failed(); ++i) {
    std::string later = *wanted;
    for (size_t j = i + 1; j < terms.size(); ++j)
      later += terms[j].letters;
    product = multiply(node, product, terms[i], later);
  }
  Integers order;
  for (char letter : *wanted)
    order.push_back(product.letters.find(letter));
  if (order.size() != product.letters.size() || llvm::is_contained(order, int64_t(std::string::npos)))
    return node.refuse("the result '" + output + "' uses a label that no operand has, or uses one twice");
  node.set(0, node.transpose(product.value, order));
}

void onnximport::addContractions(Converters &converters) {
  converters["MatMul"] = {matMul, 2, 2, ""};
  converters["Gemm"] = {gemm, 2, 3, "alpha,beta,broadcast,transA,transB"};
  converters["Einsum"] = {einsum, 1, -1, "equation"};
}
