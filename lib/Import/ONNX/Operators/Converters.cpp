// The table of all operators.
#include "lib/Import/ONNX/Operators/Operators.h"

using namespace lathe;
using namespace lathe::onnximport;

const Converters &onnximport::converters() {
  static const Converters kConverters = [] {
    Converters all;
    for (auto add : {addAttention,    addLinearAttention, addSampling,   addSequences,      addImages,   addElementwise,
                     addActivations,  addLogic,           addShape,      addSlices,         addIndexing, addContractions,
                     addConvolutions, addPooling,         addReductions, addNormalizations, addResize,   addQuantization,
                     addLosses,       addMicrosoft,       addControl,    addDataSizes, addDetection,    addRecurrent})
      add(all);
    return all;
  }();
  return kConverters;
}
