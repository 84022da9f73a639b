#include "tools/lathec/Report.h"
#include "lib/Compiler/Describe/Description.h"
#include "llvm/Support/MemoryBuffer.h"
#include <fmt/format.h>
#include <map>

using namespace lathe;
namespace json = llvm::json;

static const char *const kHtml =
#include "tools/lathec/report.html.inc"
    ;
static const char *const kStyle =
#include "tools/lathec/report.css.inc"
    ;
/// The scripts, in the order in which they run.
static const char *const kScripts[] = {
#include "tools/lathec/base.js.inc"
    ,
#include "tools/lathec/graph.js.inc"
    ,
#include "tools/lathec/memory.js.inc"
    ,
#include "tools/lathec/roofline.js.inc"
    ,
#include "tools/lathec/tables.js.inc"
    ,
#include "tools/lathec/page.js.inc"
};

namespace {
/// A trace of lathe-run --profile, read for a report.
class ProfileReader {
public:
  ProfileReader(const std::string &path, const CompileDescription &description) : path(path), description(description) {}

  /// Reads the trace. Returns what went wrong, or an empty string.
  std::string read() {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer)
      return fail("cannot be read: " + buffer.getError().message());
    llvm::Expected<json::Value> parsed = json::parse((*buffer)->getBuffer());
    if (!parsed)
      return fail("is not JSON: " + llvm::toString(parsed.takeError()));
    json::Object *trace = parsed->getAsObject();
    const json::Object *run = trace ? trace->getObject("otherData") : nullptr;
    const json::Array *events = trace ? trace->getArray("traceEvents") : nullptr;
    if (!run || !events)
      return fail("is not a trace of lathe-run --profile");
    std::string function = run->getString("function").value_or("").str(), name = run->getString("version").value_or("").str();
    for (const DescribedVersion &each : description.versions)
      if (each.function == function && each.name == name)
        version = &each;
    if (!version)
      return fail(fmt::format("is of the version '{}' of @{}, which this compilation does not have", name, function));
    if (const json::Object *given = run->getObject("sizes"))
      for (auto &[dim, size] : *given)
        if (std::optional<int64_t> value = size.getAsInteger())
          sizes[dim.str()] = *value;
    profile = json::Object{{"function", function}, {"version", name}};
    if (const json::Object *limits = run->getObject("limits"))
      profile["limits"] = json::Value(json::Object(*limits));
    return readEvents(*events);
  }

  json::Object profile;
  Sizes sizes;

private:
  std::string fail(const std::string &why) const { return "--report-profile: '" + path + "' " + why; }

  struct Row {
    int64_t calls = 0;
    double microseconds = 0;
  };

  std::string readEvents(const json::Array &events) {
    std::map<int64_t, Row> rows;
    for (const json::Value &value : events) {
      const json::Object *event = value.getAsObject();
      if (!event || event->getString("cat") != "kernel")
        continue;
      const json::Object *arguments = event->getObject("args");
      std::optional<int64_t> number = arguments ? arguments->getInteger("row") : std::nullopt;
      std::optional<double> duration = event->getNumber("dur");
      if (!number || !duration)
        return fail("has a kernel without its row or its time");
      if (std::string problem = checkRow(*number, *arguments); !problem.empty())
        return fail(problem);
      ++rows[*number].calls;
      rows[*number].microseconds += *duration;
    }
    json::Array list;
    for (auto &[number, row] : rows)
      list.push_back(json::Object{{"row", number}, {"calls", row.calls}, {"seconds", row.microseconds * 1e-6}});
    profile["rows"] = std::move(list);
    return "";
  }

  /// Returns how a row differs from the compilation's kernel of this number, or an empty string.
  std::string checkRow(int64_t number, const json::Object &arguments) const {
    std::string op = arguments.getString("op").value_or("").str();
    int64_t line = arguments.getInteger("line").value_or(0);
    if (number < 0 || number >= int64_t(version->kernels.size()))
      return fmt::format("has kernel {}, but this compilation has {}; profile the graph with the options of this compilation",
                         number, version->kernels.size());
    const DescribedKernel &kernel = version->kernels[number];
    if (kernel.op == op && kernel.place.line == line)
      return "";
    return fmt::format("has '{}' of line {} as kernel {}, but this compilation has '{}' of line {}; profile the graph with the "
                       "options of this compilation",
                       op, line, number, kernel.op, kernel.place.line);
  }

  const std::string &path;
  const CompileDescription &description;
  const DescribedVersion *version = nullptr;
};
} // namespace

/// Returns a text with each mark replaced.
static std::string filled(llvm::StringRef text, llvm::ArrayRef<std::pair<llvm::StringRef, llvm::StringRef>> marks) {
  std::string all;
  while (!text.empty()) {
    size_t next = text.size();
    llvm::StringRef mark, by;
    for (auto &[name, content] : marks)
      if (size_t at = text.find(name); at < next)
        next = at, mark = name, by = content;
    all += text.take_front(next);
    all += by;
    text = text.drop_front(next + mark.size());
  }
  return all;
}

/// Returns the page with a document in it. A script element ends at the first "</script", so no "<" stays in the document,
/// whose strings alone can have one.
static std::string pageOf(llvm::StringRef document) {
  std::string scripts, safe;
  for (const char *script : kScripts)
    scripts += script;
  for (char c : document)
    safe += c == '<' ? "\\u003c" : std::string(1, c);
  return filled(kHtml, {{"@STYLE@", kStyle}, {"@SCRIPT@", scripts}, {"@DOCUMENT@", safe}});
}

std::string makeReport(const CommandLine &line, const CompileResult &result, std::string &content) {
  Sizes sizes = line.options.budgetSizes;
  ProfileReader reader(line.profileFile, *result.description);
  if (!line.profileFile.empty()) {
    if (std::string error = reader.read(); !error.empty())
      return error;
    for (auto &[name, size] : reader.sizes)
      sizes[name] = size;
  }
  json::Object document = documentOf(*result.description, result.remarks, sizes);
  if (!line.profileFile.empty())
    document["profile"] = std::move(reader.profile);
  bool isPage = llvm::StringRef(line.reportFile).ends_with(".html");
  json::Value value(std::move(document));
  content = isPage ? pageOf(llvm::formatv("{0}", value).str()) : llvm::formatv("{0:1}\n", value).str();
  return "";
}
