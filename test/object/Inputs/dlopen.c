/* dlopen LIBRARY NAME_info: runs every function of a shared object that the program was not linked with. */
#include "call.h"
#include <dlfcn.h>

int main(int count, char **words) {
  typedef const lathe_module_info *info_function(void);
  void *library = count == 3 ? dlopen(words[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  union {
    void *pointer;
    info_function *call;
  } info = {library ? dlsym(library, words[2]) : NULL};
  if (!info.pointer) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  const lathe_module_info *module = info.call();
  void *state = make_state(module, NULL);
  for (uint32_t f = 0; f < module->function_count; ++f) {
    call c;
    prepare(&c, module, module->functions[f].name, 3, 1, state, NULL);
    run(&c);
    printf("%s ran\n", module->functions[f].name);
    release(&c);
  }
  free(state);
  return dlclose(library);
}
