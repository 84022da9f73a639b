/* Times calls of an entry without Python in between. */
#include <stdint.h>
#include <time.h>

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Calls `entry` for `duration` nanoseconds, at least `least` and at most `most` times. Writes the nanoseconds of each call to
 * `times`. Returns their number, or -1 - status if a call fails. */
int64_t suite_time(int (*entry)(void *), void *args, int64_t duration, int64_t least, int64_t most, int64_t *times) {
  int64_t count = 0, end = now() + duration;
  while (count < most) {
    int64_t begin = now();
    int status = entry(args);
    int64_t after = now();
    if (status != 0)
      return -1 - status;
    times[count++] = after - begin;
    if (after >= end && count >= least)
      break;
  }
  return count;
}
