/* The contents of both workspaces before a call do not matter: zeros, signalling NaNs and bytes of 0xFF give the same bits. */
#include "call.h"

const lathe_module_info *INFO(void);

static void fill_memory(void *memory, size_t size, int kind) {
  static const uint32_t signalling = 0x7fa00001u;
  memset(memory, kind == 2 ? 0xFF : 0, size);
  for (size_t i = 0; kind == 1 && i + 4 <= size; i += 4)
    memcpy((char *)memory + i, &signalling, 4);
}

static int check(const lathe_module_info *module, const char *name, int64_t size, const void *initial) {
  static const char *const kinds[] = {"zeros", "signalling NaNs", "0xFF"};
  call calls[3];
  void *states[3];
  int faults = 0;
  for (int kind = 0; kind < 3; ++kind) {
    states[kind] = initial ? memcpy(exact(module->state_size), initial, module->state_size) : NULL;
    prepare(&calls[kind], module, name, size, 1, states[kind], NULL);
    for (int step = 0; step < 2; ++step) { /* the second sees what the first wrote to the state */
      fill_memory(calls[kind].workspace, calls[kind].workspace_size, kind);
      fill_memory(calls[kind].cold_workspace, calls[kind].cold_workspace_size, kind);
      run(&calls[kind]);
    }
    if (kind == 0)
      continue;
    if (!same_outputs(&calls[0], &calls[kind]) || (initial && memcmp(states[0], states[kind], module->state_size) != 0)) {
      printf("%s with %d differs when the workspace holds %s\n", name, (int)size, kinds[kind]);
      ++faults;
    }
  }
  for (int kind = 0; kind < 3; ++kind) {
    release(&calls[kind]);
    free(states[kind]);
  }
  return faults;
}

int main(int count, char **words) {
  const lathe_module_info *module = INFO();
  void *state = make_state(module, NULL);
  int faults = 0;
  for (int i = 1; i < count; ++i)
    for (uint32_t f = 0; f < module->function_count; ++f)
      faults += check(module, module->functions[f].name, atoll(words[i]), state);
  free(state);
  printf("%s: %d faults\n", module->name, faults);
  return faults != 0;
}
