// All op families of the dialect, in the order of the documentation.
include "dialects/Lathe/IR/ElementwiseOps.td"
include "dialects/Lathe/IR/ShapeOps.td"
include "dialects/Lathe/IR/ReductionOps.td"
include "dialects/Lathe/IR/IndexingOps.td"
include "dialects/Lathe/IR/WindowOps.td"
include "dialects/Lathe/IR/ScanOps.td"
include "dialects/Lathe/IR/StateOps.td"
include "dialects/Lathe/IR/KernelOps.td"
