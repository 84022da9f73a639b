#include "codegen/Schedules/Overrides.h"
#include "mlir/AsmParser/AsmParser.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace lathe;

/// Parses the schedule of a line. On failure returns null and sets `why` to MLIR's message, whose location does not refer to
/// the file.
static ScheduleAttr parseSchedule(StringRef text, MLIRContext *context, std::string &why) {
  ScopedDiagnosticHandler collect(context, [&](Diagnostic &diagnostic) {
    if (why.empty())
      why = diagnostic.str();
    return success();
  });
  return dyn_cast_or_null<ScheduleAttr>(parseAttribute(text, context));
}

FailureOr<ScheduleOverrides> ScheduleOverrides::read(const std::string &path, StringRef target, MLIRContext *context) {
  ScheduleOverrides overrides;
  if (path.empty())
    return overrides;
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return emitError(UnknownLoc::get(context))
               << "cannot read the schedules in '" << path << "': " << buffer.getError().message(),
           failure();
  bool isRight = true;
  unsigned number = 0;
  for (StringRef rest = (*buffer)->getBuffer(); !rest.empty();) {
    StringRef text;
    std::tie(text, rest) = rest.split('\n');
    Location line = FileLineColLoc::get(context, path, ++number, 1);
    text = text.trim();
    if (text.empty() || text.starts_with("//"))
      continue;
    auto [kernel, schedule] = text.split(' ');
    std::string why;
    ScheduleAttr parsed = parseSchedule(schedule.trim(), context, why);
    if (!parsed) {
      emitError(line) << "expected the name of a kernel and its schedule, such as "
                         "'kernel_dot_general_3f5a #lathe.schedule<\"x86-64-v4\" contraction {rows = 4}>'; got '"
                      << text << "'" << (why.empty() ? "" : ": ") << why;
      isRight = false;
    } else if (parsed.getTarget() == target && !overrides.entries.emplace(kernel.str(), Entry{parsed, line}).second) {
      emitError(line) << "kernel '" << kernel << "' has a schedule for '" << target << "' already";
      isRight = false;
    }
  }
  if (!isRight)
    return failure();
  return overrides;
}

const ScheduleOverrides::Entry *ScheduleOverrides::find(const std::string &kernel) {
  asked.insert(kernel);
  auto entry = entries.find(kernel);
  if (entry == entries.end())
    return nullptr;
  found.insert(kernel);
  return &entry->second;
}

LogicalResult ScheduleOverrides::finish() const {
  bool isRight = true;
  for (auto &[kernel, entry] : entries)
    if (!found.count(kernel)) {
      emitError(entry.line) << "no kernel is called '" << kernel << "'; the kernels are " << llvm::join(asked, ", ");
      isRight = false;
    }
  return success(isRight);
}

ScheduleAttr lathe::withOverrides(ScheduleAttr chosen, ScheduleAttr wanted) {
  NamedAttrList parameters(chosen.getParameters());
  for (NamedAttribute parameter : wanted.getParameters())
    parameters.set(parameter.getName(), parameter.getValue());
  return ScheduleAttr::get(chosen.getContext(), chosen.getTarget(), chosen.getForm(),
                           parameters.getDictionary(chosen.getContext()));
}
