/* Counts what asks for memory, or gives it back, while entries run: without a context, and with one of two threads. PLANT is an
 * application's own pool that allocates, which must be counted. */
#define _DEFAULT_SOURCE
#include "call.h"
#include <dlfcn.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

const lathe_module_info *INFO(void);

static volatile int counting;
static int calls; /* changed atomically: a pool's threads count too */

static void count_call(void) {
  if (counting)
    __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
}

/* glibc's own implementations under their other names. */
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

void *malloc(size_t size) { return count_call(), __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return count_call(), __libc_calloc(count, size); }
void *realloc(void *memory, size_t size) { return count_call(), __libc_realloc(memory, size); }
void *aligned_alloc(size_t alignment, size_t size) { return count_call(), __libc_memalign(alignment, size); }
void *memalign(size_t alignment, size_t size) { return count_call(), __libc_memalign(alignment, size); }
void free(void *memory) { count_call(), __libc_free(memory); }
int posix_memalign(void **memory, size_t alignment, size_t size) {
  count_call();
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : 12;
}
void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset) {
  typedef void *function(void *, size_t, int, int, int, off_t);
  count_call();
  union {
    void *pointer;
    function *call;
  } next = {dlsym(RTLD_NEXT, "mmap")};
  return next.call(at, size, protection, flags, file, offset);
}
int munmap(void *at, size_t size) {
  typedef int function(void *, size_t);
  count_call();
  union {
    void *pointer;
    function *call;
  } next = {dlsym(RTLD_NEXT, "munmap")};
  return next.call(at, size);
}
int brk(void *end) {
  (void)end;
  count_call();
  return -1; /* malloc then takes pages elsewhere */
}
void *sbrk(intptr_t more) {
  (void)more;
  count_call();
  return (void *)-1;
}

#ifdef PLANT
static void allocating(lathe_context *context, lathe_body body, void *closure, int64_t count, int64_t grain, int64_t slots) {
  (void)context, (void)grain, (void)slots;
  free(malloc(1));
  body(closure, 0, 0, count);
}
#endif

int main(void) {
  static const int64_t sizes[] = {1, 7, 32};
  const lathe_module_info *module = INFO();
  void *state = make_state(module, NULL);
  lathe_context *contexts[] = {NULL, lathe_context_create(2)};
#ifdef PLANT
  contexts[1]->parallel_for = allocating;
#endif
  for (int c = 0; c < 2; ++c)
    for (int s = 0; s < 3; ++s)
      for (uint32_t f = 0; f < module->function_count; ++f) {
        call entry;
        prepare(&entry, module, module->functions[f].name, sizes[s], 1, state, contexts[c]);
        counting = 1;
        run(&entry);
        counting = 0;
        release(&entry);
      }
  lathe_context_destroy(contexts[1]);
  free(state);
  printf("%d calls of the allocator\n", calls);
  return calls != 0;
}
