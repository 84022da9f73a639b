// The structure of a kernel: two kernels of equal structure can share code.
#ifndef LATHE_CODEGEN_SCHEDULES_KERNELSTRUCTURE_H
#define LATHE_CODEGEN_SCHEDULES_KERNELSTRUCTURE_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

/// Returns the kernel's ops, types and attributes as text, without names of values, places in the source, and what code does
/// not depend on: the plan's buffers, what profiles show, and schedules. An attribute that is not known here counts.
std::string structureOf(KernelOp kernel);

/// Gives the kernel what profiles name it by: the main op, and the others (kHeroAttr, kFusedAttr). What folding made has no
/// place in the graph: its function's stands for it.
void nameForProfiles(KernelOp kernel);

/// Returns a name for the code of a kernel of this structure.
std::string codeNameOf(KernelOp kernel);

} // namespace lathe

#endif
