/* The error record and its message.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _POSIX_C_SOURCE 200809L
#include "internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* ---- Text ---- */

typedef struct line {
  char *text;
  size_t size, length; /* length: of the whole line, even if it is cut */
} line;

__attribute__((format(printf, 2, 3))) static void add(line *to, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const bool room = to->length < to->size;
  const int length = vsnprintf(room ? to->text + to->length : NULL, room ? to->size - to->length : 0, format, arguments);
  va_end(arguments);
  if (length > 0)
    to->length += (size_t)length;
}

static const char *or_unknown(const char *name) { return name ? name : "?"; }

/* Adds what the rest of the line is about. */
static void add_prefix(line *to, const char *name) {
  if (name)
    add(to, "%s: ", name);
}

static void add_location(line *to, const lathe_error *error) {
  if (!error->file)
    return;
  add(to, "%s:", error->file);
  if (error->line > 0)
    add(to, "%" PRId32 ":", error->line);
  if (error->line > 0 && error->column > 0)
    add(to, "%" PRId32 ":", error->column);
  add(to, " ");
}

static void add_dimension(line *to, const lathe_error *e) {
  if (e->other && (strcmp(e->other, "at most") == 0 || strcmp(e->other, "at least") == 0)) {
    add(to, "dimension '%s' is %" PRId64 "; %s allows %s %" PRId64, or_unknown(e->argument), e->actual, or_unknown(e->op),
        e->other, e->expected);
    return;
  }
  if (e->other && (strstr(e->other, " == ") || strstr(e->other, " >= "))) {
    add(to, "%s needs %s; the sizes are %" PRId64 " and %" PRId64, or_unknown(e->op), e->other, e->actual, e->expected);
    return;
  }
  if (e->other && strcmp(e->other, "bytes") == 0) {
    add(to, "argument '%s' is too large: with these dimensions it exceeds %" PRId64 " bytes", or_unknown(e->argument),
        e->expected);
    return;
  }
  add(to, "dimension '%s' is out of bounds: expected ", or_unknown(e->argument));
  if (e->other && strcmp(e->other, "multiple_of") == 0)
    add(to, "a multiple of");
  else
    add(to, e->actual < e->expected ? "at least" : "at most");
  add(to, " %" PRId64 ", got %" PRId64, e->expected, e->actual);
}

static void add_io(line *to, const lathe_error *e) {
  char reason[128];
  if (strerror_r((int)e->actual, reason, sizeof reason) != 0)
    reason[0] = '\0';
  add(to, "cannot %s: %s", e->op ? e->op : "read or write", reason[0] ? reason : "unknown reason");
}

static void add_format(line *to, const lathe_error *e) {
  add_prefix(to, e->argument);
  add(to, "%s", e->other ? e->other : "the file has unexpected contents");
  if (e->expected != e->actual)
    add(to, ": expected %" PRId64 ", got %" PRId64, e->expected, e->actual);
}

static void add_cpu(line *to, const lathe_error *e) {
  if (e->other) {
    add(to, "this code needs %s", e->other);
    return;
  }
  add(to, "this code needs a CPU of level %s, but this CPU has %s%s", lathe_level_name(e->expected),
      e->actual > 0 ? "level " : "", lathe_level_name(e->actual));
}

static void add_extern(line *to, const lathe_error *e) {
  add(to, "the function '%s', which the graph calls, returned status %" PRId64, or_unknown(e->argument), e->actual);
}

/* Adds " at [2, 5]". Omits the dimensions for which the record has no room. */
static void add_index(line *to, const lathe_error *e) {
  const uint32_t room = sizeof e->index / sizeof e->index[0];
  for (uint32_t i = 0; i < e->rank && i < room; ++i)
    add(to, "%s%" PRId64, i == 0 ? " at [" : ", ", e->index[i]);
  if (e->rank > 0)
    add(to, e->rank > room ? ", ...]" : "]");
}

/* Adds the lower or upper limit that `actual` breaks. */
static void add_limit(line *to, const lathe_error *e) {
  if (e->expected != e->actual)
    add(to, ": expected %s %" PRId64 ", got %" PRId64, e->actual < e->expected ? "at least" : "at most", e->expected,
        e->actual);
}

static void add_memory(line *to, const lathe_error *e) {
  add(to, e->other ? "the device is out of memory" : "out of memory");
  if (e->expected > 0 || !e->other)
    add(to, ": %" PRIu64 " bytes cannot be allocated", (uint64_t)e->expected);
}

static void add_no_device(line *to, const lathe_error *e) {
  add(to, "%s", e->other ? e->other : "there is no device");
  if (e->argument && strcmp(e->argument, "device") == 0)
    add(to, ": device %" PRId64 " of %" PRId64, e->actual, e->expected);
  else if (e->argument && strcmp(e->argument, "capability") == 0)
    add(to, ": its code needs compute capability %" PRId64 ".%" PRId64 ", the device has %" PRId64 ".%" PRId64,
        e->expected / 10, e->expected % 10, e->actual / 10, e->actual % 10);
  else if (e->argument)
    add(to, " (%s)", e->argument);
  if (!e->argument)
    add_limit(to, e);
  add(to, "; call entries without a device to run on the CPU");
}

static void add_device(line *to, const lathe_error *e) {
  add_prefix(to, e->op);
  add_prefix(to, e->argument);
  if (e->expected > 0) {
    add(to, "%s", or_unknown(e->other));
    add_limit(to, e);
    return;
  }
  add(to, "the device's driver reports %s (%" PRId64 ")", or_unknown(e->other), e->actual);
  if (!e->op && !e->argument)
    add(to, "; set LATHE_CUDA_SYNC=1 in the environment to find the op");
}

static void add_other_sizes(line *to, const lathe_error *e) {
  if (e->op)
    add(to, "axis '%s': this rank passes %" PRId64 " elements and rank %" PRId64 " passes %" PRId64, or_unknown(e->argument),
        e->expected, e->actual, e->index[0]);
  else
    add(to, "dimension '%s' must be equal on all ranks: it is %" PRId64 " on rank 0 and %" PRId64 " on rank %" PRId64,
        or_unknown(e->argument), e->expected, e->index[0], e->actual);
}

static void add_comm(line *to, const lathe_error *e) {
  static const struct {
    char reason[16], text[40]; /* no pointers, which a loader must relocate */
  } reasons[] = {
      {"timed out", "did not come within the timeout"},
      {"ended", "has ended"},
      {"calls differ", "makes another call here"},
      {"objects differ", "runs an object of another compilation"},
  };
  const char *other = or_unknown(e->other);
  add_prefix(to, e->op);
  if (strcmp(other, "sizes differ") == 0) {
    add_other_sizes(to, e);
    return;
  }
  if (strcmp(other, "no communicator") == 0) {
    add(to, "the op exchanges values over axis '%s', but the context has no communicator: set its field comm",
        or_unknown(e->argument));
    return;
  }
  if (strcmp(other, "other size") == 0) {
    add(to, "axis '%s' has %" PRId64 " rank%s here, expected %" PRId64 "%s", or_unknown(e->argument), e->actual,
        e->actual == 1 ? "" : "s", e->expected, e->actual == 1 ? ": the context's communicator gives it its ranks" : "");
    return;
  }
  if (strcmp(other, "no such axis") == 0) {
    add(to, "the communicator has no axis '%s'", or_unknown(e->argument));
    return;
  }
  if (e->argument)
    add(to, "axis '%s': ", e->argument);
  for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; ++i)
    if (strcmp(other, reasons[i].reason) == 0) {
      add(to, "rank %" PRId64 " %s", e->actual, reasons[i].text);
      return;
    }
  add(to, "%s", other);
  if (e->actual >= 0)
    add(to, " (rank %" PRId64 ")", e->actual);
}

/* Adds the report of an op that failed at run time. */
static void add_report(line *to, const lathe_error *e) {
  if (e->status == LATHE_ERROR_ASSERT)
    add(to, "assertion '%s' failed", or_unknown(e->other));
  else if (e->status == LATHE_ERROR_NOT_FINITE)
    add(to, "%s produces %s", or_unknown(e->op), or_unknown(e->other));
  else
    add(to, "%s: index %" PRId64, or_unknown(e->op), e->actual);
  add_index(to, e);
  if (e->status == LATHE_ERROR_OUT_OF_RANGE && e->expected > 0)
    add(to, " is out of bounds; expected 0 to %" PRId64, e->expected - 1);
  else if (e->status == LATHE_ERROR_OUT_OF_RANGE)
    add(to, " is out of bounds; the dimension has no elements");
}

static void add_message(line *to, const lathe_error *e) {
  const char *argument = or_unknown(e->argument), *other = or_unknown(e->other);
  switch (e->status) {
  case LATHE_OK:
    add(to, "no error");
    return;
  case LATHE_ERROR_NULL_ARGUMENT:
    add(to, "argument '%s' is NULL: expected a pointer", argument);
    return;
  case LATHE_ERROR_MISALIGNED:
    add(to, "argument '%s' is misaligned: expected a multiple of %" PRId64 " bytes, but the address is off by %" PRId64,
        argument, e->expected, e->actual);
    return;
  case LATHE_ERROR_DIMENSION:
    add_dimension(to, e);
    return;
  case LATHE_ERROR_WORKSPACE_TOO_SMALL:
    add(to, "%s is too small: expected at least %" PRIu64 " bytes, got %" PRIu64, argument, (uint64_t)e->expected,
        (uint64_t)e->actual);
    return;
  case LATHE_ERROR_OVERLAP:
    add(to, "argument '%s' overlaps '%s': expected separate buffers", argument, other);
    return;
  case LATHE_ERROR_CPU_TOO_OLD:
    add_cpu(to, e);
    return;
  case LATHE_ERROR_OUT_OF_MEMORY:
    add_memory(to, e);
    return;
  case LATHE_ERROR_IO:
    add_io(to, e);
    return;
  case LATHE_ERROR_FORMAT:
    add_format(to, e);
    return;
  case LATHE_ERROR_ABI:
    add(to, "the runtime and the object do not match: expected ABI version %" PRId64 ", got %" PRId64, e->expected, e->actual);
    return;
  case LATHE_ERROR_EXTERN:
    add_extern(to, e);
    return;
  case LATHE_ERROR_BOUND:
    add(to, "%s exceeds its bound of %" PRId64 " steps", or_unknown(e->op), e->expected);
    return;
  case LATHE_ERROR_ASSERT:
  case LATHE_ERROR_NOT_FINITE:
  case LATHE_ERROR_OUT_OF_RANGE:
    add_report(to, e);
    return;
  case LATHE_ERROR_NO_DEVICE:
    add_no_device(to, e);
    return;
  case LATHE_ERROR_DEVICE:
    add_device(to, e);
    return;
  case LATHE_ERROR_COMM:
    add_comm(to, e);
    return;
  }
  if (e->op && strcmp(e->op, "lathe.extern") == 0) {
    add_extern(to, e);
    return;
  }
  add(to, "unknown status %d", (int)e->status);
}

int lathe_error_format(const lathe_error *error, char *text, size_t size) {
  line to = {text, size, 0};
  if (size > 0)
    text[0] = '\0';
  if (!error) {
    add(&to, "error: no error record");
    return (int)to.length;
  }
  add_location(&to, error);
  add(&to, "error: ");
  add_prefix(&to, error->function);
  if (error->node)
    add(&to, "node '%s': ", error->node);
  add_message(&to, error);
  return (int)to.length;
}

void lathe_error_print(const lathe_error *error) {
  char text[1024];
  lathe_error_format(error, text, sizeof text);
  fprintf(stderr, "%s\n", text);
}

const char *lathe_status_name(lathe_status status) {
  switch (status) {
#define NAME(status)                                                                                                           \
  case status:                                                                                                                 \
    return #status;
    NAME(LATHE_OK)
    NAME(LATHE_ERROR_NULL_ARGUMENT)
    NAME(LATHE_ERROR_MISALIGNED)
    NAME(LATHE_ERROR_DIMENSION)
    NAME(LATHE_ERROR_WORKSPACE_TOO_SMALL)
    NAME(LATHE_ERROR_OVERLAP)
    NAME(LATHE_ERROR_CPU_TOO_OLD)
    NAME(LATHE_ERROR_OUT_OF_MEMORY)
    NAME(LATHE_ERROR_IO)
    NAME(LATHE_ERROR_FORMAT)
    NAME(LATHE_ERROR_ABI)
    NAME(LATHE_ERROR_EXTERN)
    NAME(LATHE_ERROR_BOUND)
    NAME(LATHE_ERROR_ASSERT)
    NAME(LATHE_ERROR_NOT_FINITE)
    NAME(LATHE_ERROR_OUT_OF_RANGE)
    NAME(LATHE_ERROR_NO_DEVICE)
    NAME(LATHE_ERROR_DEVICE)
    NAME(LATHE_ERROR_COMM)
#undef NAME
  }
  return "unknown status";
}

/* ---- Records that the runtime itself makes ---- */

static lathe_status fail(lathe_error *error, lathe_error record) {
  if (error)
    *error = record;
  return record.status;
}

lathe_status lathe_fail_format_values(lathe_error *error, const char *function, const char *path, const char *what,
                                      const char *expectation, int64_t expected, int64_t actual) {
  return fail(error, (lathe_error){.status = LATHE_ERROR_FORMAT,
                                   .file = path,
                                   .function = function,
                                   .argument = what,
                                   .other = expectation,
                                   .expected = expected,
                                   .actual = actual});
}

lathe_status lathe_fail_format(lathe_error *error, const char *function, const char *path, const char *what,
                               const char *expectation) {
  return lathe_fail_format_values(error, function, path, what, expectation, 0, 0);
}

lathe_status lathe_fail_io(lathe_error *error, const char *function, const char *path, const char *action, int code) {
  return fail(error, (lathe_error){.status = LATHE_ERROR_IO, .file = path, .function = function, .op = action, .actual = code});
}

lathe_status lathe_fail_memory(lathe_error *error, const char *function, const char *path, uint64_t size) {
  return fail(
      error, (lathe_error){.status = LATHE_ERROR_OUT_OF_MEMORY, .file = path, .function = function, .expected = (int64_t)size});
}
