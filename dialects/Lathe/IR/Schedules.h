// Schedules of kernels: text and lookup.
#ifndef LATHE_IR_SCHEDULES_H
#define LATHE_IR_SCHEDULES_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

/// Returns the kernel's schedule for a target, or null.
ScheduleAttr scheduleFor(KernelOp kernel, llvm::StringRef target);

/// Sets the kernel's schedule, replacing one for the same target.
void setSchedule(KernelOp kernel, ScheduleAttr schedule);

/// Returns the form and its parameters as `contraction {lanes = 8, rows = 6}`.
std::string textOf(ScheduleAttr schedule);

/// Returns the value of a parameter as schedules print it.
std::string parameterText(mlir::Attribute value);

} // namespace lathe

#endif
