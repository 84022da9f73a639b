/* Learns to guess the next character of a text, and writes one of its own.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * usage: chars DATA_DIR OUT_DIR [--steps S]
 */
#include "chars.h"
#include "app.h"
#include "random.h"
#include "text.h"

#include <math.h>

enum { TEXTS = 32, PIECE = 64, WIDTH = 80, ALL_STEPS = 600 };
static const double PEAK_RATE = 2e-2;
static void *state, *workspace;
static size_t size;
#define REGIONS .state = state, .workspace = workspace, .workspace_size = size, .error = &error

/* The mean over all pieces of the text that are whole, from cells at zero. */
static double score(const lathe_array *text) {
  static int32_t piece[TEXTS * (PIECE + 1)];
  const int64_t pieces = pieces_of(text, TEXTS, PIECE);
  double sum = 0;
  float bits;
  check(chars_reset(&(chars_reset_args){REGIONS}));
  for (int64_t i = 0; i < pieces; ++i) {
    take_piece(text, TEXTS, PIECE, i, piece);
    check(chars_score(&(chars_score_args){.text = piece, .bits = &bits, REGIONS}));
    sum += bits;
  }
  return sum / (double)pieces;
}

/* All lines at once and one by one: a mask and a loop say the same. Returns the mean bits of a character. */
static double score_lines(const lathe_array *lines, const lathe_array *length) {
  const int64_t count = lines->extents[0];
  float *together = allocate((size_t)count * sizeof *together), alone;
  double sum = 0, characters = 0, worst = 0;
  check(chars_score_lines(&(chars_score_lines_args){
      .B = count, .L = WIDTH, .lines = lines->data, .length = length->data, .bits = together, REGIONS}));
  for (int64_t i = 0; i < count; ++i) {
    const int32_t *line = (int32_t *)lines->data + i * WIDTH, *n = (int32_t *)length->data + i;
    check(chars_score_line(&(chars_score_line_args){.L = WIDTH, .line = line, .length = n, .bits = &alone, REGIONS}));
    worst = larger(worst, fabsf(alone - together[i]) / alone);
    sum += alone;
    characters += *n;
  }
  printf("%lld lines: by mask and by loop the same to %.1e\n", (long long)count, worst);
  require(worst < 1e-5, "lines by mask and by loop have different bits");
  lathe_free(together);
  return sum / characters;
}

int main(int count, char **words) {
  check_words(count, words, "usage: chars DATA_DIR OUT_DIR [--steps S]");
  lathe_array train = load(words[1], "train.npy", LATHE_I32, 1), test = load(words[1], "test.npy", LATHE_I32, 1);
  lathe_array lines = load(words[1], "lines.npy", LATHE_I32, 2), length = load(words[1], "length.npy", LATHE_I32, 1);
  lathe_array alphabet = load(words[1], "alphabet.npy", LATHE_I32, 1);
  require(alphabet.extents[0] == 72 && lines.extents[1] == WIDTH, "the text has 72 characters, and lines of 80 at most");
  const int64_t steps = option(words, "--steps", 600), pieces = pieces_of(&train, TEXTS, PIECE), seed = 0;
  require(steps > 0 && pieces > 0, "there is nothing to do");
  const size_t sizes[] = {CHARS_INIT_WORKSPACE_SIZE,
                          CHARS_RESET_WORKSPACE_SIZE,
                          CHARS_TRAIN_WORKSPACE_SIZE,
                          CHARS_SCORE_WORKSPACE_SIZE,
                          CHARS_NEXT_WORKSPACE_SIZE,
                          chars_score_lines_workspace_size(lines.extents[0], WIDTH),
                          chars_score_line_workspace_size(WIDTH)};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
    size = size < sizes[i] ? sizes[i] : size;
  state = allocate(CHARS_STATE_SIZE);
  workspace = allocate(size);
  float *losses = allocate((size_t)steps * sizeof *losses), rate;
  static int32_t piece[TEXTS * (PIECE + 1)];

  check(chars_init(&(chars_init_args){.seed = &seed, REGIONS}));
  check(lathe_state_save(path(words[2], "initial.safetensors"), chars_info(), state, &error));
  const double start = seconds();
  for (int64_t t = 0; t < steps; ++t) {
    if (t % pieces == 0) /* back to the beginning */
      check(chars_reset(&(chars_reset_args){REGIONS}));
    take_piece(&train, TEXTS, PIECE, t % pieces, piece);
    rate = (float)cosine_rate(PEAK_RATE, t, ALL_STEPS);
    check(chars_train(&(chars_train_args){.text = piece, .rate = &rate, .loss = &losses[t], REGIONS}));
    if ((t + 1) % 100 == 0 || t + 1 == steps)
      printf("step %lld: %.3f bits a character, %.1f s\n", (long long)t + 1, losses[t] / log(2), seconds() - start);
  }
  const double bits = score(&test);
  printf("held back: %.3f bits a character\n", bits);
  printf("held back, line by line: %.3f bits a character\n", score_lines(&lines, &length));

  float probability[72];
  const float temperature = 0.7f;
  uint64_t random = 1;
  int32_t last = number_of(&alphabet, '\n');
  for (int i = 0; i < 400; ++i) {
    check(chars_next(&(chars_next_args){.character = &last, .temperature = &temperature, .probability = probability, REGIONS}));
    last = draw(&random, probability, 72);
    putchar(((int32_t *)alphabet.data)[last]);
  }
  puts("");
  store(words[2], "loss.npy", LATHE_F32, losses, (int64_t[4]){steps});
  store(words[2], "bits.npy", LATHE_F64, &bits, (int64_t[4]){1});
  check(lathe_state_save(path(words[2], "state.safetensors"), chars_info(), state, &error));
  lathe_array *arrays[] = {&train, &test, &lines, &length, &alphabet};
  for (int i = 0; i < 5; ++i)
    lathe_array_release(arrays[i]);
  void *regions[] = {state, workspace, losses};
  for (int i = 0; i < 3; ++i)
    lathe_free(regions[i]);
  return 0;
}
