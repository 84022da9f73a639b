/* Learns to guess the next character of a text by attention, and writes one of its own with the keys and values of what it
 * wrote.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * usage: transformer DATA_DIR OUT_DIR [--steps S]
 */
#include "transformer.h"
#include "app.h"
#include "random.h"
#include "text.h"

#include <math.h>

enum { TEXTS = 8, LENGTH = 64, LETTERS = 72, ALL_STEPS = 600 };
static const double PEAK_RATE = 2e-3, WARM_UP = 20;
static void *state, *workspace;
static size_t size;
static lathe_context *context;
#define REGIONS .state = state, .workspace = workspace, .workspace_size = size, .context = context, .error = &error

/* A rise along a line, then half a period of a cosine. */
static float rate_at(int64_t t) { return (float)(fmin((double)(t + 1) / WARM_UP, 1) * cosine_rate(PEAK_RATE, t, ALL_STEPS)); }

/* The mean over all pieces of the text that are whole. */
static double score(const lathe_array *text) {
  static int32_t piece[TEXTS * (LENGTH + 1)];
  const int64_t pieces = pieces_of(text, TEXTS, LENGTH);
  double sum = 0;
  float bits;
  for (int64_t i = 0; i < pieces; ++i) {
    take_piece(text, TEXTS, LENGTH, i, piece);
    check(transformer_score(&(transformer_score_args){.text = piece, .bits = &bits, REGIONS}));
    sum += bits;
  }
  return sum / (double)pieces;
}

/* Probabilities of what follows `character`, which stands at `place`. */
static void look(int32_t character, int32_t place, float temperature, float *probability) {
  check(transformer_next(&(transformer_next_args){
      .character = &character, .place = &place, .temperature = &temperature, .probability = probability, REGIONS}));
}

/* The largest difference between probabilities of a whole text at once and place by place. */
static double compare(const int32_t *text) {
  static float whole[LENGTH * LETTERS], one[LETTERS];
  double worst = 0;
  check(transformer_probabilities(&(transformer_probabilities_args){.text = text, .probability = whole, REGIONS}));
  for (int32_t place = 0; place < LENGTH; ++place) {
    look(text[place], place, 1, one);
    for (int i = 0; i < LETTERS; ++i)
      worst = larger(worst, fabs(one[i] - whole[place * LETTERS + i]));
  }
  return worst;
}

/* Writes behind the first half of `text`; whenever all places are taken, the second half becomes the first one. */
static void write_on(int32_t *text, const int32_t *alphabet, int count) {
  static float probability[LETTERS];
  uint64_t random = 1;
  for (int32_t place = 0, known = LENGTH / 2; count > 0; ++place) {
    if (place == LENGTH) {
      memcpy(text, text + LENGTH / 2, LENGTH / 2 * sizeof *text);
      place = 0;
      known = LENGTH / 2;
    }
    look(text[place], place, 0.7f, probability);
    if (place + 1 >= known && place + 1 < LENGTH) {
      text[place + 1] = draw(&random, probability, LETTERS);
      putchar(alphabet[text[place + 1]]);
      --count;
    }
  }
  puts("");
}

int main(int count, char **words) {
  check_words(count, words, "usage: transformer DATA_DIR OUT_DIR [--steps S]");
  lathe_array train = load(words[1], "train.npy", LATHE_I32, 1), test = load(words[1], "test.npy", LATHE_I32, 1);
  lathe_array alphabet = load(words[1], "alphabet.npy", LATHE_I32, 1);
  require(alphabet.extents[0] == LETTERS && test.extents[0] > TEXTS * (LENGTH + 1), "the text has 72 characters");
  const int64_t steps = option(words, "--steps", (int64_t)ALL_STEPS), seed = 0;
  require(steps > 0, "there is nothing to do");
  const size_t sizes[] = {TRANSFORMER_TRAIN_WORKSPACE_SIZE, TRANSFORMER_SCORE_WORKSPACE_SIZE, TRANSFORMER_NEXT_WORKSPACE_SIZE,
                          TRANSFORMER_PROBABILITIES_WORKSPACE_SIZE, TRANSFORMER_INIT_WORKSPACE_SIZE};
  for (int i = 0; i < 5; ++i)
    size = size < sizes[i] ? sizes[i] : size;
  state = allocate(TRANSFORMER_STATE_SIZE);
  workspace = allocate(size);
  context = lathe_context_create(0);
  require(context != NULL, "no threads");
  float *losses = allocate((size_t)steps * sizeof *losses);
  int32_t *places = allocate((size_t)(steps * TEXTS) * sizeof *places); /* where the pieces begin, of all steps */
  static int32_t piece[TEXTS * (LENGTH + 1)];

  check(transformer_init(&(transformer_init_args){.seed = &seed, REGIONS}));
  check(lathe_state_save(path(words[2], "initial.safetensors"), transformer_info(), state, &error));
  uint64_t random = 1;
  const double start = seconds();
  for (int64_t t = 0; t < steps; ++t) {
    for (int k = 0; k < TEXTS; ++k) { /* from anywhere */
      int32_t *place = &places[t * TEXTS + k];
      *place = (int32_t)random_below(&random, train.extents[0] - LENGTH);
      memcpy(piece + k * (LENGTH + 1), (int32_t *)train.data + *place, (LENGTH + 1) * sizeof *piece);
    }
    const float rate = rate_at(t);
    check(transformer_train(&(transformer_train_args){.text = piece, .rate = &rate, .loss = &losses[t], REGIONS}));
    if ((t + 1) % 100 == 0 || t + 1 == steps)
      printf("step %lld: %.3f bits a character, %.1f s\n", (long long)t + 1, losses[t] / log(2), seconds() - start);
  }
  const double bits = score(&test), apart = compare(test.data);
  printf("held back: %.3f bits a character\n", bits);
  printf("probabilities at once and place by place: the same to %.1e\n", apart);
  require(apart < 1e-5, "keys and values that were kept give other probabilities");
  static int32_t text[LENGTH];
  memcpy(text, test.data, sizeof text / 2);
  const double begin = seconds();
  write_on(text, alphabet.data, 400);
  printf("400 characters in %.3f s\n", seconds() - begin);
  store(words[2], "loss.npy", LATHE_F32, losses, (int64_t[4]){steps});
  store(words[2], "places.npy", LATHE_I32, places, (int64_t[4]){steps, TEXTS});
  store(words[2], "bits.npy", LATHE_F64, &bits, (int64_t[4]){1});
  check(lathe_state_save(path(words[2], "state.safetensors"), transformer_info(), state, &error));
  lathe_context_destroy(context);
  lathe_array *arrays[] = {&train, &test, &alphabet};
  for (int i = 0; i < 3; ++i)
    lathe_array_release(arrays[i]);
  void *regions[] = {state, workspace, losses, places};
  for (int i = 0; i < 4; ++i)
    lathe_free(regions[i]);
  return 0;
}
