// The table of all operators.
#include "lib/Import/ONNX/Operators/Operators.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

/// Operators that opset 6 inherits from older ones, by the first opset with that definition.
static constexpr std::pair<int64_t, StringLiteral> kOlder[] = {
    {1, "And ArgMax ArgMin AveragePool Constant Conv ConvTranspose DepthToSpace Equal Flatten Gather GlobalAveragePool "
        "GlobalMaxPool Greater Hardmax Identity If LRN LSTM Less LogSoftmax Loop LpNormalization MatMul MaxPool MaxRoiPool Not "
        "Or Pow RNN "
        "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare "
        "Shape Size Slice Softmax Softplus Softsign SpaceToDepth Squeeze TopK Transpose Unsqueeze Upsample Xor"},
    {2, "GlobalLpPool LpPool Pad Split"},
    {3, "GRU"},
    {4, "Concat"},
    {5, "Reshape"}};

const Converters &onnximport::converters() {
  static const Converters kConverters = [] {
    Converters all;
    for (auto add :
         {addAttention,  addLinearAttention, addSampling, addSequences,    addImages,       addElementwise,   addActivations,
          addLogic,      addShape,           addSlices,   addIndexing,     addContractions, addConvolutions,  addPooling,
          addReductions, addNormalizations,  addResize,   addQuantization, addLosses,       addMicrosoft,     addTransformers,
          addControl,    addRecurrent,       addRandom,   addLists,        addMatrices,     addNgrams,        addRegions,
          addSignals,    addFlexAttention,   addTraining, addDataSizes,    addDetection,    addRegionPooling, addLearning})
      add(all);
    for (const auto &[opset, names] : kOlder)
      for (StringRef name : llvm::split(names, ' '))
        if (auto converter = all.find(name); converter != all.end())
          converter->second.since = opset;
    return all;
  }();
  return kConverters;
}
