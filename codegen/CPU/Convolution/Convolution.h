// Convolutions as register tiles: rows are images or adjacent pixels, columns are output channels.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_CONVOLUTION_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_CONVOLUTION_H

#include "codegen/CPU/Form.h"

namespace lathe::cpu {

/// The forms of kernels around a lathe.conv or lathe.conv_filter_grad over the kernel's inputs. A group has several filters, or
/// one channel and one filter. The kernel's other ops are the epilogue. Every element is a sum of chains of fused multiply-adds
/// (of products and sums without FMA) in the order kProductOrder. No schedule changes a bit of the results.
llvm::ArrayRef<const Form *> convolutionForms();

/// True if a form with this name computes a convolution with tiles of channels, and can read the filter in panels.
bool isDirectConvolution(llvm::StringRef form);

} // namespace lathe::cpu

#endif
