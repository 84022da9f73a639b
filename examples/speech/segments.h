/* Segments of speech from the probabilities of frames, one after the other.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef EXAMPLES_SPEECH_SEGMENTS_H
#define EXAMPLES_SPEECH_SEGMENTS_H

#include <stdint.h>

/* Thresholds and times are the defaults that come with the model; times in samples of 1/16000 s. Between the thresholds, what
 * is speech stays speech and what is a pause stays a pause. */
static const float SPEECH_ABOVE = 0.5f, PAUSE_BELOW = 0.35f;
enum { FRAME = 512, RATE = 16000, LEAST_SPEECH = RATE / 4, LEAST_PAUSE = RATE / 10, MARGIN = RATE * 3 / 100 };

typedef struct segment {
  int64_t begin, end; /* samples */
} segment;

typedef struct segmenter {
  segment open;      /* its end is where the pause may have begun, -1: there is none */
  int speaking;      /* whether `open` is one */
  int64_t count;     /* of finished segments */
  segment *finished; /* room for one every other frame is enough */
} segmenter;

static inline void finish_segment(segmenter *s, int64_t end, int64_t length) {
  s->speaking = 0;
  if (end - s->open.begin <= LEAST_SPEECH)
    return;
  /* Segments are further apart than two margins, a least pause being more than that. */
  const int64_t begin = s->open.begin > MARGIN ? s->open.begin - MARGIN : 0;
  s->finished[s->count++] = (segment){begin, end + MARGIN < length ? end + MARGIN : length};
}

/* Takes the probability of the next frame, which begins at the sample `at`, of a recording of so many samples. */
static inline void take_probability(segmenter *s, float probability, int64_t at, int64_t length) {
  if (probability >= SPEECH_ABOVE) {
    if (!s->speaking)
      s->open.begin = at;
    s->speaking = 1;
    s->open.end = -1;
  } else if (s->speaking && probability < PAUSE_BELOW) {
    if (s->open.end < 0)
      s->open.end = at;
    if (at - s->open.end >= LEAST_PAUSE)
      finish_segment(s, s->open.end, length);
  }
}

/* Behind the last frame: what is still open goes on to the end. */
static inline void finish_segments(segmenter *s, int64_t length) {
  if (s->speaking)
    finish_segment(s, length, length);
}

#endif /* EXAMPLES_SPEECH_SEGMENTS_H */
