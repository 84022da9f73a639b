// The families of operators: one function and one file for each, listed in Converters.cpp.
#ifndef LATHE_IMPORT_ONNX_OPERATORS_H
#define LATHE_IMPORT_ONNX_OPERATORS_H

#include "lib/Import/ONNX/Node.h"

namespace lathe::onnximport {

void addElementwise(Converters &converters);
void addActivations(Converters &converters);
void addLogic(Converters &converters);
void addShape(Converters &converters);
void addSlices(Converters &converters);
void addIndexing(Converters &converters);
void addContractions(Converters &converters);
void addConvolutions(Converters &converters);
void addPooling(Converters &converters);
void addReductions(Converters &converters);
void addNormalizations(Converters &converters);
void addResize(Converters &converters);
void addAttention(Converters &converters);
void addLinearAttention(Converters &converters);
void addSampling(Converters &converters);
void addSequences(Converters &converters);
void addImages(Converters &converters);
void addQuantization(Converters &converters);
void addLosses(Converters &converters);
void addMicrosoft(Converters &converters); // after addQuantization, which it uses
void addTransformers(Converters &converters);
void addControl(Converters &converters);
void addDataSizes(Converters &converters);
void addDetection(Converters &converters);
void addRecurrent(Converters &converters);
void addMatrices(Converters &converters);
void addNgrams(Converters &converters);
void addRegions(Converters &converters);
void addRegionPooling(Converters &converters);
void addSignals(Converters &converters);
void addFlexAttention(Converters &converters);
void addLearning(Converters &converters);
void addTraining(Converters &converters);
void addRandom(Converters &converters);
void addLists(Converters &converters);

} // namespace lathe::onnximport

#endif
