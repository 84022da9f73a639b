// Convolutions as register tiles: rows are images or neighbouring pixels, columns output channels.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_CONVOLUTION_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_CONVOLUTION_H

#include "codegen/CPU/Form.h"

namespace lathe::cpu {

/// The forms of kernels around a lathe.conv or lathe.conv_filter_grad over the kernel's inputs: groups have several filters, or
/// one channel and one filter each. What else the kernel does is its epilogue. Every element is a sum of chains of fused
/// multiply-adds (of products and sums without FMA) in the order kProductOrder of the sum's definition: no schedule changes a
/// bit.
llvm::ArrayRef<const Form *> convolutionForms();

} // namespace lathe::cpu

#endif
