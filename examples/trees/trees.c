/* Learns the arithmetic of expressions from their values, then evaluates expressions that it has not seen.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * usage: trees DATA_DIR OUT_DIR [--epochs E] [--trees T]
 */
#include "trees.h"
#include "app.h"
#include "random.h"

enum { NODES = 31, BATCH = 64 };
static const double PEAK_RATE = 0.05;

typedef struct trees {
  int64_t count;
  lathe_array kind, left, right, nodes, value;
} trees;

static trees load_trees(const char *folder, const char *part) {
  char name[4096];
  snprintf(name, sizeof name, "%s/%s", folder, part);
  trees t = {0,
             load(name, "kind.npy", LATHE_I32, 2),
             load(name, "left.npy", LATHE_I32, 2),
             load(name, "right.npy", LATHE_I32, 2),
             load(name, "count.npy", LATHE_I32, 1),
             load(name, "value.npy", LATHE_I32, 1)};
  t.count = t.nodes.extents[0];
  require(t.kind.extents[1] == NODES && t.left.size == t.kind.size && t.right.size == t.kind.size &&
              t.kind.extents[0] == t.count && t.value.extents[0] == t.count,
          "trees have 31 nodes at most");
  return t;
}

static void release(trees *t) {
  lathe_array *arrays[] = {&t->kind, &t->left, &t->right, &t->nodes, &t->value};
  for (int i = 0; i < 5; ++i)
    lathe_array_release(arrays[i]);
}

/* Of `size` numbers each, those of the items in `chosen`. */
static void pick(const lathe_array *from, const int32_t *chosen, int64_t count, int64_t size, int32_t *to) {
  for (int64_t i = 0; i < count; ++i)
    memcpy(to + i * size, (const int32_t *)from->data + chosen[i] * size, (size_t)size * sizeof *to);
}

#define REGIONS .state = state, .workspace = workspace, .workspace_size = size, .error = &error

/* Values of all trees at once, and one by one: a loop over the nodes that there are. */
static void evaluate(const trees *test, void *state, void *workspace, size_t size, int32_t *predicted) {
  check(trees_predict(&(trees_predict_args){.B = test->count,
                                            .M = NODES,
                                            .kind = test->kind.data,
                                            .left = test->left.data,
                                            .right = test->right.data,
                                            .count = test->nodes.data,
                                            .value = predicted,
                                            REGIONS}));
  int64_t right_ones = 0, alike = 0;
  for (int64_t i = 0; i < test->count; ++i) {
    int32_t alone;
    const int32_t *k = (int32_t *)test->kind.data + i * NODES, *l = (int32_t *)test->left.data + i * NODES;
    check(trees_evaluate(&(trees_evaluate_args){.M = NODES,
                                                .kind = k,
                                                .left = l,
                                                .right = (int32_t *)test->right.data + i * NODES,
                                                .count = (int32_t *)test->nodes.data + i,
                                                .value = &alone,
                                                REGIONS}));
    right_ones += predicted[i] == ((int32_t *)test->value.data)[i];
    alike += predicted[i] == alone;
  }
  printf("exact: %.2f %% of %lld trees that were not trained on\n", 100.0 * (double)right_ones / (double)test->count,
         (long long)test->count);
  require(alike == test->count, "a batch and its trees one by one have different values");
}

int main(int words_count, char **words) {
  check_words(words_count, words, "usage: trees DATA_DIR OUT_DIR [--epochs E] [--trees T]");
  trees train = load_trees(words[1], "train"), test = load_trees(words[1], "test");
  const int64_t epochs = option(words, "--epochs", 6), wanted = option(words, "--trees", train.count), seed = 0;
  const int64_t count = wanted < train.count ? wanted : train.count, batches = count / BATCH, steps = batches * epochs;
  require(steps > 0, "too few trees");
  size_t size = trees_train_workspace_size(BATCH, NODES);
  if (size < trees_predict_workspace_size(test.count, NODES))
    size = trees_predict_workspace_size(test.count, NODES);
  void *state = allocate(TREES_STATE_SIZE), *workspace = allocate(size);
  int32_t *order = allocate((size_t)count * sizeof *order), *predicted = allocate((size_t)test.count * sizeof *predicted);
  float *losses = allocate((size_t)steps * sizeof *losses), rate;
  static int32_t kind[BATCH * NODES], left[BATCH * NODES], right[BATCH * NODES], nodes[BATCH], value[BATCH];
  trees_train_args step = {.B = BATCH,
                           .M = NODES,
                           .kind = kind,
                           .left = left,
                           .right = right,
                           .count = nodes,
                           .value = value,
                           .rate = &rate,
                           REGIONS};
  check(trees_init(&(trees_init_args){.seed = &seed, REGIONS}));
  for (int32_t i = 0; i < count; ++i)
    order[i] = i;
  uint64_t random = 1;
  const double start = seconds();
  for (int64_t epoch = 0, t = 0; epoch < epochs; ++epoch) {
    double sum = 0;
    shuffle(&random, order, count);
    for (int64_t b = 0; b < batches; ++b, ++t) {
      const int32_t *chosen = order + b * BATCH;
      pick(&train.kind, chosen, BATCH, NODES, kind);
      pick(&train.left, chosen, BATCH, NODES, left);
      pick(&train.right, chosen, BATCH, NODES, right);
      pick(&train.nodes, chosen, BATCH, 1, nodes);
      pick(&train.value, chosen, BATCH, 1, value);
      rate = (float)cosine_rate(PEAK_RATE, t, steps);
      step.loss = &losses[t];
      check(trees_train(&step));
      sum += losses[t];
    }
    printf("epoch %lld: loss %.4f, %.1f s\n", (long long)epoch + 1, sum / (double)batches, seconds() - start);
  }

  evaluate(&test, state, workspace, size, predicted);
  static int32_t names[10], operators[300];
  check(trees_tables(&(trees_tables_args){.names = names, .operators = operators, REGIONS}));
  store(words[2], "loss.npy", LATHE_F32, losses, (int64_t[4]){steps});
  store(words[2], "predicted.npy", LATHE_I32, predicted, (int64_t[4]){test.count});
  store(words[2], "names.npy", LATHE_I32, names, (int64_t[4]){10});
  store(words[2], "operators.npy", LATHE_I32, operators, (int64_t[4]){3, 10, 10});
  check(lathe_state_save(path(words[2], "state.safetensors"), trees_info(), state, &error));
  release(&train);
  release(&test);
  void *regions[] = {state, workspace, order, predicted, losses};
  for (int i = 0; i < 5; ++i)
    lathe_free(regions[i]);
  return 0;
}
