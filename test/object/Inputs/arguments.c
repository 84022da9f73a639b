/* Every function of an object with one argument wrong at a time. Each comes back as a status that names the argument, its line
 * and what was expected, and leaves the state as it was; with no error record to fill, as the status alone. */
#include "call.h"

const lathe_module_info *INFO(void);

static const lathe_module_info *module;
static void *state, *before; /* the state that calls get, and a copy */
static int faults, checks;

static void fault(const call *c, const char *argument, const char *what) {
  char text[512];
  lathe_error_format(&c->error, text, sizeof text);
  printf("%s, %s: %s; reported: %s\n", c->function->name, argument, what, text);
  ++faults;
}

/* The call must fail with `status`, named after `argument`, at its line if one is given. */
static void expect(call *c, lathe_status status, const char *argument, int32_t line, int64_t expected, int64_t actual) {
  char text[512];
  const lathe_error *e = &c->error;
  ++checks;
  memset(&c->error, 0, sizeof c->error);
  if (c->function->call(c->args) != status || e->status != status)
    fault(c, argument, "another status");
  else if (!e->argument || strcmp(e->argument, argument) != 0)
    fault(c, argument, "another argument");
  else if (e->line <= 0 || (line > 0 && e->line != line) || !e->file || strcmp(e->file, module->source) != 0)
    fault(c, argument, "another place");
  else if (!e->function || strcmp(e->function, c->function->name) != 0 || !e->op || !*e->op)
    fault(c, argument, "no function or op");
  else if (e->expected != expected || e->actual != actual)
    fault(c, argument, "other values");
  lathe_error_format(e, text, sizeof text);
  if (!strstr(text, argument) || !strstr(text, module->source))
    fault(c, argument, "a message without it");
  if (state && memcmp(state, before, module->state_size) != 0)
    fault(c, argument, "the state changed");
  set_pointer(c, c->function->error_offset, NULL);
  if (c->function->call(c->args) != status)
    fault(c, argument, "another status without a record");
  set_pointer(c, c->function->error_offset, &c->error);
}

static void check_pointer(call *c, const char *name, uint32_t offset, int32_t line, void *good, int64_t alignment) {
  set_pointer(c, offset, NULL);
  expect(c, LATHE_ERROR_NULL_ARGUMENT, name, line, 1, 0);
  for (int64_t off = 1; off < alignment; off *= 2) {
    set_pointer(c, offset, (char *)good + off);
    expect(c, LATHE_ERROR_MISALIGNED, name, line, alignment, off);
  }
  set_pointer(c, offset, good);
}

static void check_dimension(call *c, const lathe_dimension_info *dimension, int64_t good) {
  const int64_t low[] = {-1, INT64_MIN, dimension->minimum - 1}, high[] = {INT64_MAX, dimension->maximum + 1};
  for (int i = 0; i < 3; ++i) {
    memcpy(c->args + dimension->offset, &low[i], sizeof low[i]);
    expect(c, LATHE_ERROR_DIMENSION, dimension->name, 0, dimension->minimum, low[i]);
    if (c->function->workspace_size(&low[i]) != SIZE_MAX)
      fault(c, dimension->name, "a workspace for a dimension out of bounds");
  }
  for (int i = 0; i < 2; ++i) {
    memcpy(c->args + dimension->offset, &high[i], sizeof high[i]);
    expect(c, LATHE_ERROR_DIMENSION, dimension->name, 0, dimension->maximum, high[i]);
    if (c->function->workspace_size(&high[i]) != SIZE_MAX)
      fault(c, dimension->name, "a workspace for a dimension out of bounds");
  }
  memcpy(c->args + dimension->offset, &good, sizeof good);
}

static void check_workspace(call *c, const char *name, uint32_t offset, uint32_t size_offset, void *memory, size_t size) {
  char size_name[64];
  const size_t short_by_one = size - 1;
  if (size == 0)
    return;
  check_pointer(c, name, offset, 0, memory, 64);
  memcpy(c->args + size_offset, &short_by_one, sizeof short_by_one);
  snprintf(size_name, sizeof size_name, "%s_size", name);
  expect(c, LATHE_ERROR_WORKSPACE_TOO_SMALL, size_name, 0, (int64_t)size, (int64_t)short_by_one);
  memcpy(c->args + size_offset, &size, sizeof size);
}

/* A written argument may share memory with no other: puts `written` and `with` in one place. */
static void check_overlap(call *c, const char *written, uint32_t written_offset, void *good, const char *with, void *place) {
  ++checks;
  set_pointer(c, written_offset, place);
  memset(&c->error, 0, sizeof c->error);
  const lathe_error *e = &c->error;
  if (c->function->call(c->args) != LATHE_ERROR_OVERLAP)
    fault(c, written, "an overlap is not reported");
  else if (!e->argument || !e->other ||
           !((strcmp(e->argument, written) == 0 && strcmp(e->other, with) == 0) ||
             (strcmp(e->argument, with) == 0 && strcmp(e->other, written) == 0)))
    fault(c, written, "an overlap of others is reported");
  set_pointer(c, written_offset, good);
}

static void check_overlaps(call *c) {
  const lathe_function_info *f = c->function;
  for (uint32_t i = 0; i < f->argument_count; ++i) {
    const lathe_argument_info *a = &f->arguments[i];
    if (a->is_output)
      for (uint32_t j = 0; j < f->argument_count; ++j)
        if (j != i)
          check_overlap(c, a->name, a->offset, c->arrays[i], f->arguments[j].name, c->arrays[j]);
    if (a->is_output && state && f->state_offset != LATHE_ABSENT)
      check_overlap(c, a->name, a->offset, c->arrays[i], "state", (char *)state + module->state_size - 64);
    if (c->workspace_size >= c->sizes[i]) /* inputs too: what a kernel stores there would change them */
      check_overlap(c, a->name, a->offset, c->arrays[i], "workspace", c->workspace);
    if (c->cold_workspace_size >= c->sizes[i])
      check_overlap(c, a->name, a->offset, c->arrays[i], "cold_workspace", c->cold_workspace);
  }
  if (c->workspace_size && c->cold_workspace_size)
    check_overlap(c, "workspace", f->workspace_offset, c->workspace, "cold_workspace", c->cold_workspace);
}

/* Arguments that are only read may share memory. */
static void check_shared(call *c) {
  const lathe_function_info *f = c->function;
  for (uint32_t i = 0; i < f->argument_count; ++i)
    for (uint32_t j = 0; j < f->argument_count; ++j) {
      const lathe_argument_info *a = &f->arguments[i], *b = &f->arguments[j];
      if (i == j || a->is_output || b->is_output || a->dtype != b->dtype || c->sizes[i] < c->sizes[j])
        continue;
      ++checks;
      set_pointer(c, b->offset, c->arrays[i]);
      if (f->call(c->args) != LATHE_OK)
        fault(c, b->name, "inputs in one place are refused");
      set_pointer(c, b->offset, c->arrays[j]);
    }
}

static void check(const lathe_function_info *f, int64_t size) {
  call c;
  prepare(&c, module, f->name, size, 1, state, NULL);
  for (uint32_t i = 0; i < f->dimension_count; ++i)
    check_dimension(&c, &f->dimensions[i], size);
  for (uint32_t i = 0; i < f->argument_count; ++i) {
    const lathe_argument_info *a = &f->arguments[i];
    check_pointer(&c, a->name, a->offset, a->line, c.arrays[i], (int64_t)lathe_dtype_size(a->dtype));
  }
  if (f->state_offset != LATHE_ABSENT)
    check_pointer(&c, "state", f->state_offset, 0, state, 64);
  check_workspace(&c, "workspace", f->workspace_offset, f->workspace_size_offset, c.workspace, c.workspace_size);
  check_workspace(&c, "cold_workspace", f->cold_workspace_offset, f->cold_workspace_size_offset, c.cold_workspace,
                  c.cold_workspace_size);
  check_overlaps(&c);
  check_shared(&c);
  if (f->call(NULL) != LATHE_ERROR_NULL_ARGUMENT)
    fault(&c, "args", "another status");
  run(&c); /* after all of that, nothing is wrong */
  if (state)
    memcpy(state, before, module->state_size);
  release(&c);
}

/* An empty batch: what is empty needs no memory, and may have no pointer. */
static void check_nothing(const lathe_function_info *f) {
  call c;
  if (f->dimension_count != 1 || f->dimensions[0].minimum > 0)
    return;
  prepare(&c, module, f->name, 0, 1, state, NULL);
  for (uint32_t i = 0; i < f->argument_count; ++i)
    if (c.sizes[i] == 0)
      set_pointer(&c, f->arguments[i].offset, NULL);
  ++checks;
  if (f->call(c.args) != LATHE_OK)
    fault(&c, f->dimensions[0].name, "a dimension of 0 is refused");
  if (state)
    memcpy(state, before, module->state_size);
  release(&c);
}

int main(void) {
  module = INFO();
  state = make_state(module, NULL);
  before = state ? memcpy(exact(module->state_size), state, module->state_size) : NULL;
  for (uint32_t i = 0; i < module->function_count; ++i)
    check(&module->functions[i], 2), check_nothing(&module->functions[i]);
  free(state);
  free(before);
  printf("%d checks, %d faults\n", checks, faults);
  return faults != 0;
}
