#include "tools/lathec/Insight.h"
#include "tools/lathec/Output.h"
#include "tools/lathec/Report.h"
#include "llvm/Support/JSON.h"
#include <cstdio>

using namespace lathe;

static std::string written(const llvm::json::Value &value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv("{0:2}\n", value);
  return text;
}

/// Returns an array with an object for each decision. Decisions about a whole graph have no line.
static std::string remarksAsJson(const CompileResult &result) {
  llvm::json::Array records;
  for (const CompileRemark &remark : result.remarks) {
    llvm::json::Object record{
        {"file", remark.file}, {"stage", remark.stage}, {"kind", remark.isMissed ? "missed" : "passed"}, {"text", remark.text}};
    if (remark.line) {
      record["line"] = remark.line;
      record["column"] = remark.column;
    }
    if (!remark.node.empty())
      record["node"] = remark.node;
    records.push_back(std::move(record));
  }
  return written(std::move(records));
}

/// Returns an array with the name and seconds of each part, in their order.
static std::string timesAsJson(const CompileResult &result) {
  llvm::json::Array parts;
  for (auto &[name, seconds] : result.times)
    parts.push_back(llvm::json::Object{{"part", name}, {"seconds", seconds}});
  return written(std::move(parts));
}

std::string reportInsight(const CommandLine &line, const CompileResult &result, bool writesFiles) {
  std::vector<OutputFile> files;
  std::string remarks = line.explainFile.empty() ? "" : remarksAsJson(result), times = timesAsJson(result);
  if (!line.explainFile.empty())
    files.push_back({line.explainFile, &remarks});
  else if (line.explains)
    for (const CompileRemark &remark : result.remarks)
      std::fprintf(stderr, "%s\n", remark.str().c_str());
  std::fputs(result.diagnostics.c_str(), stderr);
  if (!line.timeFile.empty())
    files.push_back({line.timeFile, &times});
  else if (line.reportsTime)
    std::fputs(result.timeReport.c_str(), stderr);
  std::string report;
  if (!line.reportFile.empty() && result.description && result.status == CompileStatus::Done) {
    if (std::string error = makeReport(line, result, report); !error.empty())
      return error;
    files.push_back({line.reportFile, &report});
  }
  return files.empty() || !writesFiles ? "" : writeWhole(files);
}
