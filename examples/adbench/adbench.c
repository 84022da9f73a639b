/* The objective functions of ADBench and their derivatives: results for compare.py, and times.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * usage: adbench DATA_DIR OUT_DIR [--rounds R]
 */
#include "ba.h"
#include "entry.h"
#include "gmm.h"
#include "lstm.h"

typedef struct problem {
  const char *name;
  const lathe_module_info *(*module)(void);
  const char *derivative;
} problem;

static const problem small[] = {{"gmm", gmm_info, "gradient"}, {"ba", ba_info, "jacobian"}, {"lstm", lstm_info, "gradient"}};
static const problem large[] = {{"gmm-10", gmm_info, "gradient"},
                                {"gmm-32", gmm_info, "gradient"},
                                {"lstm-2", lstm_info, "gradient"},
                                {"lstm-4", lstm_info, "gradient"},
                                {"ba-31843", ba_info, "jacobian"}};

static void solve(const problem *p, const char *data, const char *out) {
  char folder[4096];
  snprintf(folder, sizeof folder, "%s/%s", data, p->name);
  const char *names[] = {"objective", p->derivative};
  for (int i = 0; i < 2; ++i) {
    entry e = open_entry(p->module(), names[i], folder);
    call(&e);
    store_results(&e, out, p->name);
    close_entry(&e);
  }
}

/* Seconds of this thread for a call: those that others take from it do not count. */
static double once(entry *e) {
  struct timespec start, end;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
  call(e);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
  return (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
}

/* Least times of the function and of its derivative, in turns. */
static void measure(const problem *p, const char *data, int64_t rounds, FILE *times) {
  char folder[4096];
  snprintf(folder, sizeof folder, "%s/%s", data, p->name);
  entry function = open_entry(p->module(), "objective", folder), derivative = open_entry(p->module(), p->derivative, folder);
  double least[2] = {1e9, 1e9};
  for (int64_t round = 0; round < rounds + 3; ++round) { /* three to warm up */
    const double now[2] = {once(&function), once(&derivative)};
    for (int i = 0; i < 2 && round >= 3; ++i)
      least[i] = now[i] < least[i] ? now[i] : least[i];
  }
  printf("%-9s %8.3f ms, its %s %8.3f ms: %.2f times\n", p->name, 1e3 * least[0], p->derivative, 1e3 * least[1],
         least[1] / least[0]);
  fprintf(times, "%s %.4f %.4f %.2f\n", p->name, 1e3 * least[0], 1e3 * least[1], least[1] / least[0]);
  close_entry(&function);
  close_entry(&derivative);
}

int main(int count, char **words) {
  check_words(count, words, "usage: adbench DATA_DIR OUT_DIR [--rounds R]");
  for (size_t i = 0; i < sizeof small / sizeof *small; ++i)
    solve(&small[i], words[1], words[2]);
  const int64_t rounds = option(words, "--rounds", 100);
  FILE *times = rounds ? fopen(path(words[2], "times.txt"), "w") : NULL;
  require(!rounds || times, "times.txt cannot be written");
  for (size_t i = 0; times && i < sizeof large / sizeof *large; ++i)
    measure(&large[i], words[1], rounds, times);
  require(!times || fclose(times) == 0, "times.txt cannot be written");
  return 0;
}
