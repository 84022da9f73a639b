// Code that RNN, LSTM and GRU share.
#ifndef LATHE_IMPORT_ONNX_OPERATORS_RECURRENT_H
#define LATHE_IMPORT_ONNX_OPERATORS_RECURRENT_H

#include "lib/Import/ONNX/Operators/Quantization.h"

namespace lathe::onnximport {

/// A function of a layer, with parameters that some have.
struct Activation {
  std::string name; // ONNX's, in lower case
  double alpha = 0, beta = 0;
  llvm::StringRef stdName; // its name in the library; empty if the library lacks it
};

/// A layer of the node. Y is [T, directions, N, H], the last states [directions, N, H]; with `layout` 1, N is first.
struct Layer {
  int64_t directions = 1, time = 0;
  bool isReverse = false; // the only direction
  Dim hidden;
  std::vector<Activation> functions; // of all directions
  double clip = 0;                   // of the arguments of functions; 0 for none
  bool couplesForget = false;        // an LSTM forgets what it does not take in
  bool isQuantized = false;          // com.microsoft's DynamicQuantizeLSTM

  /// True if the library has an equal layer.
  bool isUsual() const {
    return !clip && !couplesForget && !isQuantized &&
           llvm::all_of(functions, [](const Activation &each) { return !each.stdName.empty(); });
  }
};

/// Returns the functions that the node names, or else those of `otherwise`, which are for one direction.
std::vector<Activation> readActivations(Node &node, llvm::ArrayRef<llvm::StringRef> otherwise, int64_t directions);

/// The operands of one direction of a layer; null if missing. Weights are [gates * H, in], biases [gates * H].
struct Direction {
  Value x, weights, recurrent, bias, recurrentBias, h0, c0, peepholes, lengths;
  QuantizedMatrix quantizedWeights, quantizedRecurrent; // instead of weights and recurrent, transposed
  bool isReverse = false;
  bool hasCell = false; // an LSTM
  llvm::ArrayRef<Activation> functions;
};

/// Emits a layer of the node's operator as a loop of its own. Returns the outputs of all steps, then the last states.
llvm::SmallVector<Value> emitLayer(Node &node, const Layer &layer, Direction direction);

} // namespace lathe::onnximport

#endif
