/* Reads a WAV file of one channel of 16 bits, and trusts nothing that its headers say.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef EXAMPLES_WAV_H
#define EXAMPLES_WAV_H

#include "app.h"

enum { PCM = 1, CHUNK_HEADER = 8, FORMAT_SIZE = 16 };

typedef struct recording {
  float *sample; /* from -1 to below 1 */
  int64_t count;
} recording;

static const char *wav_name;

static inline void require_wav(int condition, const char *message) {
  if (condition)
    return;
  fprintf(stderr, "error: %s: %s\n", wav_name, message);
  exit(1);
}

static inline void require_number(uint32_t actual, uint32_t expected, const char *what) {
  if (actual == expected)
    return;
  fprintf(stderr, "error: %s: %s: expected %u, got %u\n", wav_name, what, (unsigned)expected, (unsigned)actual);
  exit(1);
}

static inline uint32_t little16(const unsigned char *bytes) { return bytes[0] | (uint32_t)bytes[1] << 8; }
static inline uint32_t little32(const unsigned char *bytes) { return little16(bytes) | little16(bytes + 2) << 16; }

static inline unsigned char *read_bytes(size_t *size) {
  FILE *file = fopen(wav_name, "rb");
  require_wav(file != NULL, "cannot be opened");
  long end = -1;
  if (fseek(file, 0, SEEK_END) == 0)
    end = ftell(file);
  require_wav(end >= 0 && end <= INT32_MAX && fseek(file, 0, SEEK_SET) == 0, "is no regular file of up to 2 GiB");
  *size = (size_t)end;
  unsigned char *bytes = (unsigned char *)allocate(*size); /* the cast is for C++ */
  require_wav(fread(bytes, 1, *size, file) == *size, "cannot be read");
  fclose(file);
  return bytes;
}

static inline void check_format(const unsigned char *format, size_t size, uint32_t rate) {
  require_wav(size >= FORMAT_SIZE, "its 'fmt ' chunk is too short");
  require_number(little16(format), PCM, "coding (1 is plain numbers)");
  require_number(little16(format + 2), 1, "channels");
  require_number(little32(format + 4), rate, "samples a second");
  require_number(little16(format + 14), 16, "bits a sample");
  require_number(little16(format + 12), 2, "bytes a sample");
  require_number(little32(format + 8), 2 * rate, "bytes a second");
}

/* The data of the one `data` chunk, behind the one `fmt ` chunk that says how to read it. Other chunks are passed over. */
static inline const unsigned char *find_data(const unsigned char *bytes, size_t size, uint32_t rate, size_t *data_size) {
  require_wav(size >= 12 && memcmp(bytes, "RIFF", 4) == 0 && memcmp(bytes + 8, "WAVE", 4) == 0, "is no WAV file");
  const size_t said = little32(bytes + 4);
  require_wav(said >= 4 && said <= size - CHUNK_HEADER, "breaks off: it is shorter than it says");
  const size_t end = CHUNK_HEADER + said;
  const unsigned char *data = NULL;
  int formats = 0;
  for (size_t at = 12; at < end;) {
    require_wav(end - at >= CHUNK_HEADER, "breaks off in the header of a chunk");
    const unsigned char *chunk = bytes + at;
    const size_t length = little32(chunk + 4);
    at += CHUNK_HEADER;
    require_wav(length <= end - at, "a chunk is longer than the file");
    if (memcmp(chunk, "fmt ", 4) == 0) {
      require_wav(formats++ == 0, "has two 'fmt ' chunks");
      check_format(bytes + at, length, rate);
    } else if (memcmp(chunk, "data", 4) == 0) {
      require_wav(formats == 1, "its 'data' chunk comes before the 'fmt ' chunk");
      require_wav(data == NULL, "has two 'data' chunks");
      require_wav(length % 2 == 0, "its 'data' chunk ends within a sample");
      data = bytes + at;
      *data_size = length;
    }
    at += length;
    at += length % 2 && at < end; /* chunks begin at even places; some writers leave out the last one's padding */
  }
  require_wav(data != NULL, "has no 'data' chunk");
  return data;
}

/* The recording in the file `name`, which must have so many samples a second. There are `padding` zeros behind it. */
static inline recording read_wav(const char *name, uint32_t rate, int64_t padding) {
  size_t size, data_size = 0;
  wav_name = name;
  unsigned char *bytes = read_bytes(&size);
  const unsigned char *data = find_data(bytes, size, rate, &data_size);
  recording r = {NULL, (int64_t)(data_size / 2)};
  require_wav(r.count > 0, "holds no sound");
  r.sample = (float *)allocate((size_t)(r.count + padding) * sizeof *r.sample); /* zeroed */
  for (int64_t i = 0; i < r.count; ++i)
    r.sample[i] = (float)(int16_t)little16(data + 2 * i) / 32768;
  lathe_free(bytes);
  return r;
}

#endif /* EXAMPLES_WAV_H */
