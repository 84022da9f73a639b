// Tensor-core operations: not yet.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lower.h"

namespace standin {
void addMatrixOps(std::map<std::string_view, Builder> &) {}
void addCopyOps(std::map<std::string_view, Builder> &) {}
void addBarrierOps(std::map<std::string_view, Builder> &) {}
void addBulkOps(std::map<std::string_view, Builder> &) {}
void addWgmmaOps(std::map<std::string_view, Builder> &) {}
} // namespace standin
