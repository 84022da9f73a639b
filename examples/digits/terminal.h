/* What digits.c shows in a terminal.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef DIGITS_TERMINAL_H
#define DIGITS_TERMINAL_H

#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

enum { BAR = 24 };

/* One line that is written over in a terminal; elsewhere a line for each finished epoch. `done` is 0 to 1. */
static inline void show_progress(int64_t epoch, int64_t epochs, double done, double loss, double accuracy, double speed) {
  const int terminal = isatty(STDOUT_FILENO);
  if (!terminal && done < 1)
    return;
  printf("%sepoch %3lld/%lld", terminal ? "\r" : "", (long long)epoch, (long long)epochs);
  if (terminal)
    fputs("  ", stdout);
  for (int i = 0; terminal && i < BAR; ++i)
    fputs(i < done * BAR ? "\u2588" : "\u2591", stdout);
  printf("  loss %.4f  accuracy %5.1f %%  %6.0f images/s", loss, accuracy, speed);
  if (!terminal || (epoch == epochs && done >= 1))
    puts("");
  fflush(stdout);
}

/* Side by side, with the class that was predicted, and the true one where that is another. */
static inline void show_digits(const float *images, int side, const int32_t *predictions, const int32_t *labels, int count) {
  static const char *const shades[] = {" ", "\u2591", "\u2592", "\u2593", "\u2588"};
  for (int y = 0; y < side; y += 2) { /* a character is twice as high as wide: it shows two pixels */
    for (int i = 0; i < count; ++i) {
      const float *upper = images + (i * side + y) * side, *lower = upper + side;
      for (int x = 0; x < side; ++x)
        fputs(shades[(int)((upper[x] + lower[x]) / 2 * 4.99f)], stdout);
      if (y == side / 2 && predictions[i] == labels[i])
        printf(" %d   ", (int)predictions[i]);
      else if (y == side / 2)
        printf(" %d!%d ", (int)predictions[i], (int)labels[i]);
      else if (i + 1 < count)
        printf("     ");
    }
    puts("");
  }
}

#endif /* DIGITS_TERMINAL_H */
