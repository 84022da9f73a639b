// The structure of a kernel: two kernels of equal structure can share code.
#ifndef LATHE_CODEGEN_SCHEDULES_KERNELSTRUCTURE_H
#define LATHE_CODEGEN_SCHEDULES_KERNELSTRUCTURE_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

/// The kinds of machines that kernels are compiled for.
enum class MachineKind { CPU, GPU };

/// Returns the kernel's ops, types and attributes as text. It omits what code does not depend on: names of values, locations,
/// the plan's buffers, names for profiles, schedules, and for a CPU the attributes that only GPU code depends on. Unknown
/// attributes are included.
std::string structureOf(KernelOp kernel, MachineKind machine);

/// Sets the names that profiles show for the kernel: its main op, and the other ops (kHeroAttr, kFusedAttr). A kernel that
/// results from folding has no location and gets that of its function.
void nameForProfiles(KernelOp kernel);

/// Returns a name for the code of a kernel of this structure.
std::string codeNameOf(KernelOp kernel, MachineKind machine);

} // namespace lathe

#endif
