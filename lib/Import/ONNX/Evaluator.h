// Evaluates nodes whose operands are known during import, over named dimensions.
#ifndef LATHE_IMPORT_ONNX_EVALUATOR_H
#define LATHE_IMPORT_ONNX_EVALUATOR_H

#include "lib/Import/ONNX/Node.h"
#include <array>

namespace lathe::onnximport {

/// A node whose operands are all known. Each method returns false if a result cannot be computed.
class Evaluator {
public:
  explicit Evaluator(Node &node) : node(node) {}
  bool run();

private:
  // ---- Moves elements (Evaluate.cpp)
  bool shapeOfInput();
  bool reshape();
  bool expand();
  bool concat();
  bool gather();
  bool sliceBounds(std::array<std::vector<int64_t>, 4> &bounds);
  bool slice();
  bool transpose();
  bool rangeOf();
  bool constantOfShape();

  // ---- Computes elements (EvaluateElements.cpp)
  bool unary();
  bool binary();
  bool fold();
  bool clip();
  bool cast();
  bool select();
  bool reduce();
  bool runningSum();

  // ---- Orders and replaces the elements of lists (EvaluateLists.cpp)
  bool topK();
  bool scatter();

  std::optional<Scalar> combine(llvm::StringRef op, const Scalar &lhs, const Scalar &rhs, Type element);
  /// Combines two tensors, which are broadcast, element by element.
  std::optional<Known> combine(llvm::StringRef op, const Known &lhs, const Known &rhs);
  /// Returns the scalar, or nullopt for a boolean that a data-decided size decides: it is computed at run time.
  std::optional<Scalar> decidedBySizes(std::optional<Scalar> scalar);

  const Known &in(int input) { return *node.known(input); }
  /// Sets the node's result, which is kept until the model is imported.
  bool give(Known known, int output = 0) {
    if (!node.spendElements(known.elements.size()))
      return false;
    node.set(output, std::move(known));
    return true;
  }
  bool give(std::optional<Known> known) { return known && give(std::move(*known)); }
  std::optional<std::vector<int64_t>> integersOf(int input) {
    return node.has(input) && node.known(input) ? node.known(input)->integers() : std::nullopt;
  }

  Node &node;
};

} // namespace lathe::onnximport

#endif
