/* Every function at the sizes given, on heap blocks of exact sizes, with as many threads as the first word says. With LIE the
 * caller claims that arrays have one element more than they have. Bytes between the variables of a state belong to nobody. */
#include "call.h"
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#define FORBID(memory, size) __asan_poison_memory_region(memory, size)
#endif
#endif
#ifndef FORBID
#define FORBID(memory, size) (void)(memory), (void)(size)
#endif

const lathe_module_info *INFO(void);

static void forbid_gaps(const lathe_module_info *module, char *state) {
  for (uint32_t i = 0; i < module->state_count; ++i) {
    const uint64_t end = module->state[i].offset + module->state[i].size;
    const uint64_t next = i + 1 < module->state_count ? module->state[i + 1].offset : module->state_size;
    FORBID(state + end, next - end);
  }
}

/* A sum that depends on every bit of the outputs, so that one which is not defined is noticed when it is printed. */
static uint64_t digest(const call *c) {
  uint64_t sum = 1469598103934665603u;
  for (uint32_t i = 0; i < c->function->argument_count; ++i)
    for (size_t b = 0; c->function->arguments[i].is_output && b < c->sizes[i]; ++b)
      sum = (sum ^ ((unsigned char *)c->arrays[i])[b]) * 1099511628211u;
  return sum;
}

int main(int count, char **words) {
  const lathe_module_info *module = INFO();
  const int threads = atoi(words[1]);
  lathe_context *context = threads > 1 ? lathe_context_create(threads) : NULL;
  void *state = make_state(module, context);
  forbid_gaps(module, state);
  for (int i = 2; i < count; ++i)
    for (uint32_t f = 0; f < module->function_count; ++f) {
      const lathe_function_info *function = &module->functions[f];
      call c;
      prepare(&c, module, function->name, atoll(words[i]), 1, state, context);
#ifdef LIE
      const int64_t more = atoll(words[i]) + 1;
      if (function->dimension_count > 0)
        memcpy(c.args + function->dimensions[0].offset, &more, sizeof more);
      free(c.workspace);
      c.workspace_size = (size_t)function->workspace_size(&more);
      set_pointer(&c, function->workspace_offset, c.workspace = exact(c.workspace_size));
      memcpy(c.args + function->workspace_size_offset, &c.workspace_size, sizeof c.workspace_size);
#endif
      run(&c);
      printf("%s %s: %016llx\n", function->name, words[i], (unsigned long long)digest(&c));
      release(&c);
    }
  free(state);
  lathe_context_destroy(context);
  return 0;
}
