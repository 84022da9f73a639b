/* The text of records: what an entry found at an element.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "check.h"

int main(void) {
  lathe_error place = {.status = LATHE_ERROR_OUT_OF_RANGE,
                       .line = 7,
                       .column = 3,
                       .file = "g.mlir",
                       .function = "f",
                       .op = "lathe.gather",
                       .expected = 5,
                       .actual = 6,
                       .rank = 1,
                       .index = {2}};
  CHECK_MESSAGE(&place, "g.mlir:7:3: error: f: lathe.gather: index 6 at [2] is out of bounds; expected 0 to 4");
  place.expected = 0;
  CHECK_MESSAGE(&place, "lathe.gather: index 6 at [2] is out of bounds; the dimension has no elements");

  lathe_error deep = {.status = LATHE_ERROR_ASSERT, .other = "small", .rank = 8, .index = {1, 2, 3, 4, 5, 6, 7, 8}};
  CHECK_MESSAGE(&deep, "assertion 'small' failed at [1, 2, 3, 4, 5, 6, 7, 8]");
  deep.rank = 9;
  CHECK_MESSAGE(&deep, "failed at [1, 2, 3, 4, 5, 6, 7, 8, ...]");
  return check_result();
}
