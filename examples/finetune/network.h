/* The compiled network: a region of state, and calls of its entries.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef EXAMPLES_NETWORK_H
#define EXAMPLES_NETWORK_H

#include "bytes.h"
#include "finetune.h"

/* The output that MLIR gets: `winregistry`, a text like MLIR, which none of the known files is taken for. */
enum { BATCH = 32, LABELS = 214, NEW = 198 };

typedef struct network {
  void *state, *workspace;
  size_t size;
} network;

#define REGIONS(n) .state = (n)->state, .workspace = (n)->workspace, .workspace_size = (n)->size, .error = &error

/* Its variables are yet to be set. */
static inline network make_network(void) {
  const size_t train = FINETUNE_TRAIN_WORKSPACE_SIZE, predict = FINETUNE_PREDICT_WORKSPACE_SIZE;
  const size_t size = train > predict ? train : predict;
  return (network){allocate(FINETUNE_STATE_SIZE), allocate(size), size};
}

static inline void release_network(network *n) {
  lathe_free(n->state);
  lathe_free(n->workspace);
}

/* The probabilities of so many files, f32[count][LABELS]; zeros fill up the last batch. */
static inline float *predict(network *n, const int32_t *bytes, int64_t count) {
  float *probability = allocate((size_t)count * LABELS * sizeof *probability), *some = allocate(BATCH * LABELS * sizeof *some);
  int32_t *batch = allocate(BATCH * SEEN * sizeof *batch);
  for (int64_t i = 0; i < count; i += BATCH) {
    const size_t taken = count - i < BATCH ? (size_t)(count - i) : BATCH;
    memset(batch, 0, BATCH * SEEN * sizeof *batch);
    memcpy(batch, bytes + i * SEEN, taken * SEEN * sizeof *batch);
    check(finetune_predict(&(finetune_predict_args){.bytes = batch, .probability = some, REGIONS(n)}));
    memcpy(probability + i * LABELS, some, taken * LABELS * sizeof *some);
  }
  lathe_free(some);
  lathe_free(batch);
  return probability;
}

static inline int32_t likeliest(const float *probability) {
  int32_t best = 0;
  for (int32_t i = 1; i < LABELS; ++i)
    if (probability[i] > probability[best])
      best = i;
  return best;
}

#endif /* EXAMPLES_NETWORK_H */
