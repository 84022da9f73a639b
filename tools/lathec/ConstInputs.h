// The files of --const-input.
#ifndef LATHE_TOOLS_LATHEC_CONSTINPUTS_H
#define LATHE_TOOLS_LATHEC_CONSTINPUTS_H

#include "lib/Import/Constants/ConstInputs.h"
#include <map>

/// Reads them, by the names of inputs; the reason why not, empty if all could be read.
std::string readConstInputs(const std::map<std::string, std::string> &files, lathe::ConstInputs &constants);

#endif
