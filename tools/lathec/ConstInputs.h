// The files of --const-input.
#ifndef LATHE_TOOLS_LATHEC_CONSTINPUTS_H
#define LATHE_TOOLS_LATHEC_CONSTINPUTS_H

#include "lib/Import/Constants/ConstInputs.h"
#include <map>

/// Reads the files, by the names of inputs. Returns the reason for a failure, or an empty string.
std::string readConstInputs(const std::map<std::string, std::string> &files, lathe::ConstInputs &constants);

#endif
