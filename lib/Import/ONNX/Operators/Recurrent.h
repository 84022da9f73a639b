// What RNN, LSTM and GRU share.
#ifndef LATHE_IMPORT_ONNX_OPERATORS_RECURRENT_H
#define LATHE_IMPORT_ONNX_OPERATORS_RECURRENT_H

#include "lib/Import/ONNX/Operators/Quantization.h"

namespace lathe::onnximport {

/// A function of a layer, with parameters that some have.
struct Activation {
  std::string name; // ONNX's, in lower case
  double alpha = 0, beta = 0;
  llvm::StringRef stdName; // the name by which layers of the library know it; empty where they do not
};

/// Y is [T, directions, N, H], the last states [directions, N, H]; with `layout` 1, N is first.
struct Layer {
  int64_t directions = 1, time = 0;
  bool isReverse = false; // the only direction
  Dim hidden;
  std::vector<Activation> functions; // of all directions
  double clip = 0;                   // of what goes into a function; 0 for none
  bool couplesForget = false;        // an LSTM forgets what it does not take in
  bool isQuantized = false;          // com.microsoft's DynamicQuantizeLSTM

  /// Whether a layer of the library is one like it.
  bool isUsual() const {
    return !clip && !couplesForget && !isQuantized &&
           llvm::all_of(functions, [](const Activation &each) { return !each.stdName.empty(); });
  }
};

/// The functions that the node names or, of `otherwise`, one direction's usual ones.
std::vector<Activation> readActivations(Node &node, llvm::ArrayRef<llvm::StringRef> otherwise, int64_t directions);

/// What one direction of a layer gets; null for what is not given. Weights are [gates * H, in], biases [gates * H].
struct Direction {
  Value x, weights, recurrent, bias, recurrentBias, h0, c0, peepholes, lengths;
  QuantizedMatrix quantizedWeights, quantizedRecurrent; // in the place of weights and recurrent, transposed
  bool isReverse = false;
  bool hasCell = false; // an LSTM
  llvm::ArrayRef<Activation> functions;
};

/// A layer of the node's operator as a loop of its own: outputs of all steps, then the last states.
llvm::SmallVector<Value> emitLayer(Node &node, const Layer &layer, Direction direction);

} // namespace lathe::onnximport

#endif
