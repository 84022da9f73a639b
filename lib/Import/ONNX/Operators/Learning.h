// Code that the operators of domain ai.onnx.ml share. scikit-learn's models consist of them.
#ifndef LATHE_IMPORT_ONNX_LEARNING_H
#define LATHE_IMPORT_ONNX_LEARNING_H

#include "lib/Import/ONNX/Operators/Operators.h"

namespace lathe::onnximport {

/// Adds the converter of an operator of the domain.
void addLearner(Converters &converters, llvm::StringRef name, Converter converter);

/// Returns an input as a matrix [N, C] of floats with a known number of features C; a list is one row. f64 stays, all other
/// numbers become f32.
Value featuresOf(Node &node, int input = 0);
/// Returns the number of columns of such a matrix.
int64_t columnsOf(Value matrix);

/// Returns the numbers of an attribute that is a tensor, or none if the node does not have it. Sets `element` to their type.
llvm::SmallVector<double> tensorNumbers(Node &node, llvm::StringRef name, Type &element);
/// Refuses the node unless the attribute has `expected` elements.
void expectCount(Node &node, llvm::StringRef name, int64_t count, int64_t expected, const llvm::Twine &meaning);

/// Returns a number of targets or vectors that an attribute gives, which must be from `least` to 2^24.
int64_t countOf(Node &node, llvm::StringRef name, int64_t least, int64_t otherwise);

/// The last step on scores, numbered as in TreeEnsemble of opset 5 of the domain.
enum class PostTransform { None, Softmax, Logistic, SoftmaxZero, Probit };
/// Returns the transform that the attribute post_transform names.
PostTransform postTransformOf(Node &node);
/// Returns the transformed scores [N, K].
Value transformed(Node &node, PostTransform transform, Value scores);
/// Converts to f32, the type of most operators' results.
Value asFloats(Node &node, Value value);

/// Returns the integer labels of a classifier. Labels that are strings are refused.
Integers classLabels(Node &node, llvm::StringRef integers, llvm::StringRef strings);
/// Sets the label and the scores of a classifier: for each row of `scores` [N, K] the class with the largest score.
void setClasses(Node &node, const Integers &labels, Value scores, PostTransform transform);
/// The same for two classes with one score [N, 1], which belongs to the second class. A probability is compared with 0.5, any
/// other score with 0.
void setTwoClasses(Node &node, const Integers &labels, Value score, PostTransform transform, bool isProbability);
/// Returns the probabilities of classes [N, classes] from those of the first class of each pair (0, 1), (0, 2), ...: [N,
/// pairs].
Value coupledPairs(Node &node, Value pairs, int64_t classes);
/// Returns the labels of the classes with these numbers [N].
Value labelsOf(Node &node, const Integers &labels, Value classes);

void addLearnedFeatures(Converters &converters);
void addLearnedLabels(Converters &converters);
void addLinearModels(Converters &converters);
void addSupportVectors(Converters &converters);
void addTrees(Converters &converters);

} // namespace lathe::onnximport

#endif
