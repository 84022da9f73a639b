/* Reading with every size checked, and writing of whole files or none.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _XOPEN_SOURCE 700
#include "descriptor.h"
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

lathe_status lathe_input_open(lathe_input *input, const char *function, const char *path, lathe_error *error) {
  *input = (lathe_input){.function = function, .path = path, .error = error, .size = UINT64_MAX};
  input->stream = fopen(path, "rb");
  struct stat info;
  if (!input->stream || fstat(fileno(input->stream), &info) != 0) {
    const int code = errno;
    lathe_input_close(input);
    return lathe_fail_io(error, function, path, "open the file", code);
  }
  if (S_ISREG(info.st_mode))
    input->size = (uint64_t)info.st_size;
  return LATHE_OK;
}

static lathe_status truncated(lathe_input *input, const char *what, uint64_t size, uint64_t left) {
  return lathe_fail_format_values(input->error, input->function, input->path, what, "the file is truncated, bytes left",
                                  (int64_t)size, (int64_t)left);
}

lathe_status lathe_input_read(lathe_input *input, void *data, uint64_t size, const char *what) {
  if (size > input->size - input->position)
    return truncated(input, what, size, input->size - input->position);
  const size_t got = fread(data, 1, size, input->stream);
  input->position += got;
  if (got == size)
    return LATHE_OK;
  if (ferror(input->stream))
    return lathe_fail_io(input->error, input->function, input->path, "read the file", errno);
  return truncated(input, what, size, got);
}

lathe_status lathe_input_end(lathe_input *input) {
  if (fgetc(input->stream) == EOF)
    return LATHE_OK;
  return lathe_fail_format(input->error, input->function, input->path, "file", "there are extra bytes after the data");
}

void lathe_input_close(lathe_input *input) {
  if (input->stream)
    fclose(input->stream);
  input->stream = NULL;
}

static lathe_status fail_open(lathe_output *output, int code) {
  free(output->temporary);
  free(output->target);
  return lathe_fail_io(output->error, output->function, output->path, "create the file", code);
}

/* Finds the file to replace. Devices, pipes and this process's own descriptors are written in place; a link stays, and the
 * file that it points to is replaced. */
static bool choose_target(lathe_output *output) {
  struct stat info;
  if (stat(output->path, &info) != 0) {
    output->target = strdup(output->path);
    return output->target != NULL;
  }
  if (!S_ISREG(info.st_mode) || lathe_own_descriptor(output->path) >= 0)
    return true;
  output->target = realpath(output->path, NULL);
  return output->target != NULL;
}

static int create_temporary(lathe_output *output) {
  const size_t size = strlen(output->target) + 48;
  output->temporary = malloc(size);
  if (!output->temporary)
    return -1;
  int descriptor = -1;
  for (unsigned attempt = 0; attempt < 1000; ++attempt) {
    snprintf(output->temporary, size, "%s.%ld-%u.tmp", output->target, (long)getpid(), attempt);
    descriptor = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST)
      break;
  }
  return descriptor;
}

lathe_status lathe_output_open(lathe_output *output, const char *function, const char *path, lathe_error *error) {
  *output = (lathe_output){.function = function, .path = path, .error = error};
  if (!choose_target(output))
    return fail_open(output, errno);
  if (!output->target) {
    output->stream = lathe_open_in_place(path);
    return output->stream ? LATHE_OK : fail_open(output, errno);
  }
  const int descriptor = create_temporary(output);
  if (descriptor < 0)
    return fail_open(output, errno);
  output->stream = fdopen(descriptor, "wb");
  if (output->stream)
    return LATHE_OK;
  const int code = errno;
  close(descriptor);
  unlink(output->temporary);
  return fail_open(output, code);
}

void lathe_output_write(lathe_output *output, const void *data, size_t size) {
  if (size > 0 && output->code == 0 && fwrite(data, 1, size, output->stream) != size)
    output->code = errno ? errno : EIO;
}

/* Flushes the new data to the disk before its file gets its name. After a crash of the machine the file is the old one or
 * the new one. */
static void sync_data(lathe_output *output) {
  if (fflush(output->stream) != 0 || fsync(fileno(output->stream)) != 0)
    output->code = errno;
}

/* Flushes the folder, so that the name survives too if the file system supports that. */
static void sync_folder(const char *path) {
  char *copy = strdup(path);
  char *slash = copy ? strrchr(copy, '/') : NULL;
  if (slash)
    slash[slash == copy] = '\0';
  const int folder = copy ? open(slash ? copy : ".", O_RDONLY | O_CLOEXEC | O_DIRECTORY) : -1;
  if (folder >= 0) {
    (void)fsync(folder);
    close(folder);
  }
  free(copy);
}

lathe_status lathe_output_close(lathe_output *output, bool keep) {
  if (output->target && keep && output->code == 0)
    sync_data(output);
  if (fclose(output->stream) != 0 && output->code == 0)
    output->code = errno;
  if (output->target) {
    keep = keep && output->code == 0;
    if (keep && rename(output->temporary, output->target) != 0) {
      output->code = errno;
      keep = false;
    }
    if (keep)
      sync_folder(output->target);
    else
      unlink(output->temporary);
  }
  free(output->temporary);
  free(output->target);
  return output->code == 0 ? LATHE_OK
                           : lathe_fail_io(output->error, output->function, output->path, "write the file", output->code);
}
