/* Finds where there is speech in a recording: one call of the compiled network for each frame of 32 ms.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * usage: speech FILE.wav OUT_DIR
 *
 * Leaves probability.npy (f32[frames]), times.npy (f64[frames], seconds of each call) and segments.txt (begin, end, label,
 * which editors of sound such as Audacity read) in OUT_DIR.
 */
#include "app.h"
#include "segments.h"
#include "vad.h"
#include "wav.h"

/* A call sees the end of the frame before as well, zeros before the first one, and takes on two vectors of the LSTM. */
enum { CONTEXT = 64, STATE = 2 * 128 };

/* Goes through the recording. `probability` and `duration` have a place for each frame. */
static void listen(const recording *r, int64_t frames, float *probability, double *duration, segmenter *segments) {
  void *workspace = allocate(VAD_RUN_WORKSPACE_SIZE);
  float *input = allocate((CONTEXT + FRAME) * sizeof *input);
  float *state = allocate(STATE * sizeof *state), *next_state = allocate(STATE * sizeof *state);
  const int64_t rate = RATE;
  for (int64_t i = 0; i < frames; ++i) {
    const double start = seconds();
    memcpy(input + CONTEXT, r->sample + i * FRAME, FRAME * sizeof *input);
    check(vad_run(&(vad_run_args){.input = input,
                                  .state_ = state,
                                  .sr = &rate,
                                  .output = &probability[i],
                                  .stateN = next_state,
                                  .workspace = workspace,
                                  .workspace_size = VAD_RUN_WORKSPACE_SIZE,
                                  .error = &error}));
    memcpy(input, input + FRAME, CONTEXT * sizeof *input);
    float *const taken = state;
    state = next_state;
    next_state = taken;
    take_probability(segments, probability[i], i * FRAME, r->count);
    duration[i] = seconds() - start;
  }
  finish_segments(segments, r->count);
  void *regions[] = {workspace, input, state, next_state};
  for (int i = 0; i < 4; ++i)
    lathe_free(regions[i]);
}

static void print_segments(const segmenter *segments, const char *name) {
  FILE *file = fopen(name, "w");
  require(file != NULL, "segments.txt cannot be written");
  for (int64_t i = 0; i < segments->count; ++i) {
    const double begin = (double)segments->finished[i].begin / RATE, end = (double)segments->finished[i].end / RATE;
    printf("%7.2f s to %7.2f s\n", begin, end);
    fprintf(file, "%.6f\t%.6f\tspeech\n", begin, end);
  }
  const int written = !ferror(file);
  require(fclose(file) == 0 && written, "segments.txt cannot be written");
}

int main(int words_count, char **words) {
  require(words_count == 3, "usage: speech FILE.wav OUT_DIR");
  recording r = read_wav(words[1], RATE, FRAME);
  const int64_t frames = (r.count + FRAME - 1) / FRAME; /* zeros fill up the last one */
  float *probability = allocate((size_t)frames * sizeof *probability);
  double *duration = allocate((size_t)frames * sizeof *duration), sum = 0, longest = 0;
  segmenter segments = {.finished = allocate((size_t)(frames / 2 + 1) * sizeof(segment))};
  listen(&r, frames, probability, duration, &segments);

  print_segments(&segments, path(words[2], "segments.txt"));
  for (int64_t i = 0; i < frames; ++i) {
    require(probability[i] >= 0 && probability[i] <= 1, "a probability is not from 0 to 1");
    sum += duration[i];
    longest = larger(longest, duration[i]);
  }
  printf("%lld frames of 32 ms: %.3f ms each, at most %.3f ms; %.4f of real time\n", (long long)frames,
         1e3 * sum / (double)frames, 1e3 * longest, sum / (double)frames * RATE / FRAME);
  store(words[2], "probability.npy", LATHE_F32, probability, (int64_t[4]){frames});
  store(words[2], "times.npy", LATHE_F64, duration, (int64_t[4]){frames});
  void *regions[] = {r.sample, probability, duration, segments.finished};
  for (int i = 0; i < 4; ++i)
    lathe_free(regions[i]);
  return 0;
}
