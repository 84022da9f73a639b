// Rules of products and convolutions.
#include "passes/Partition/Rule.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::partition;

static Rule ruleOfDot(DotGeneralOp op) {
  Rule rule(op);
  Dims left = dimsOf(op.getLhs()), right = dimsOf(op.getRhs());
  unsigned next = 0;
  for (auto [l, r] : llvm::zip_equal(op.getLhsBatch(), op.getRhsBatch()))
    rule.operands[0][l] = rule.operands[1][r] = rule.results[0][next++] = rule.add(left[l]);
  for (auto [l, r] : llvm::zip_equal(op.getLhsContract(), op.getRhsContract()))
    rule.operands[0][l] = rule.operands[1][r] = rule.add(left[l]);
  auto shareFree = [&](unsigned operand, const Dims &dims, ArrayRef<int64_t> batch, ArrayRef<int64_t> contract) {
    for (int64_t dim = 0; dim < int64_t(dims.size()); ++dim)
      if (!llvm::is_contained(batch, dim) && !llvm::is_contained(contract, dim))
        rule.operands[operand][dim] = rule.results[0][next++] = rule.add(dims[dim]);
  };
  shareFree(0, left, op.getLhsBatch(), op.getLhsContract());
  shareFree(1, right, op.getRhsBatch(), op.getRhsContract());
  rule.missing = Rule::Missing::Sum;
  return rule;
}

/// The places of a convolution's images, channels and filters in its operands and its result: [N, ..., C], [..., C, F] and [N,
/// ..., F], in the order of operands and result that `op` has.
static Rule ruleOfConvolution(ConvolutionOpInterface op, SmallVectorImpl<int> &input, SmallVectorImpl<int> &filter,
                              SmallVectorImpl<int> &output, Rule rule, const Dim &images, const Dim &channels,
                              const Dim &features) {
  input.front() = output.front() = rule.add(images);
  if (op.getGeometry().groups == 1) {
    input.back() = filter[filter.size() - 2] = rule.add(channels);
    filter.back() = output.back() = rule.add(features);
  }
  return rule;
}

std::optional<Rule> partition::ruleOfProduct(Operation *op) {
  if (auto dot = dyn_cast<DotGeneralOp>(op))
    return ruleOfDot(dot);
  auto convolution = dyn_cast<ConvolutionOpInterface>(op);
  if (!convolution)
    return std::nullopt;
  Rule rule(op);
  SmallVector<int> roles[] = {rule.operands[0], rule.operands[1], rule.results[0]};
  Value values[] = {op->getOperand(0), op->getOperand(1), op->getResult(0)};
  // Which of the two operands and the result is the input, the filter and the output.
  unsigned in = 0, filter = 1, out = 2;
  if (isa<ConvInputGradOp>(op))
    std::swap(in, out);
  else if (isa<ConvFilterGradOp>(op))
    std::swap(filter, out);
  rule = ruleOfConvolution(convolution, roles[in], roles[filter], roles[out], rule, dimsOf(values[in]).front(),
                           dimsOf(values[in]).back(), dimsOf(values[out]).back());
  rule.operands[0] = roles[0];
  rule.operands[1] = roles[1];
  rule.results[0] = roles[2];
  rule.missing = Rule::Missing::Sum;
  return rule;
}
