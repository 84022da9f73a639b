// The report of --report: a document of the compilation, as JSON or drawn by a page.
#ifndef LATHE_TOOLS_LATHEC_REPORT_H
#define LATHE_TOOLS_LATHEC_REPORT_H

#include "lathe/Compiler.h"
#include "tools/lathec/Options.h"

/// Sets `content` to the file of --report, whose ending says of which kind it is. Adds the times of --report-profile. Returns
/// what went wrong, or an empty string. Needs the compilation's description.
std::string makeReport(const CommandLine &line, const lathe::CompileResult &result, std::string &content);

#endif
