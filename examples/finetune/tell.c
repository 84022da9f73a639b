/* Tells the types of files with what finetune has learned.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * usage: tell OUT_DIR FILE...
 */
#include "network.h"

/* Label i of data/labels.txt; the new one has a name of its own. */
static const char *label_of(const char *folder, int32_t i) {
  static char label[64];
  if (i == NEW)
    return "mlir";
  FILE *file = fopen(path(folder, "data/labels.txt"), "r");
  require(file != NULL, "data/labels.txt cannot be read");
  for (int32_t line = 0; line <= i; ++line)
    require(fgets(label, sizeof label, file) != NULL, "data/labels.txt has too few lines");
  label[strcspn(label, "\n")] = '\0';
  fclose(file);
  return label;
}

int main(int count, char **words) {
  require(count > 2, "usage: tell OUT_DIR FILE...");
  network n = make_network();
  check(lathe_state_load(path(words[1], "tuned.safetensors"), finetune_info(), n.state, &error));
  const int64_t files = count - 2;
  int32_t *bytes = allocate((size_t)files * SEEN * sizeof *bytes);
  for (int64_t i = 0; i < files; ++i)
    read_bytes(words[i + 2], bytes + i * SEEN);
  float *probability = predict(&n, bytes, files);
  for (int64_t i = 0; i < files; ++i) {
    const int32_t best = likeliest(probability + i * LABELS);
    printf("%s: %s, %.1f %%\n", words[i + 2], label_of(words[1], best), 100 * (double)probability[i * LABELS + best]);
  }
  lathe_free(probability);
  lathe_free(bytes);
  release_network(&n);
  return 0;
}
