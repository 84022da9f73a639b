/* Names of the process's own descriptors.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _XOPEN_SOURCE 700
#include "descriptor.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int lathe_own_descriptor(const char *path) {
  char own[40], name[PATH_MAX], folder[PATH_MAX], target[PATH_MAX];
  snprintf(own, sizeof own, "/proc/%ld/fd", (long)getpid());
  if (strlen(path) >= sizeof name)
    return -1;
  strcpy(name, path);
  for (int link = 0; link < 8; ++link) {
    char *slash = strrchr(name, '/');
    const char *last = slash ? slash + 1 : name;
    char *end = NULL;
    const ssize_t length = readlink(name, target, sizeof target - 1); /* before the name is cut */
    if (slash)
      *slash = '\0';
    if (length < 0 || !realpath(!slash ? "." : slash == name ? "/" : name, folder))
      return -1;
    const long number = strtol(last, &end, 10);
    if (strcmp(folder, own) == 0)
      return *last && !*end && number >= 0 && number <= INT_MAX ? (int)number : -1;
    target[length] = '\0';
    const int size =
        target[0] == '/' ? snprintf(name, sizeof name, "%s", target) : snprintf(name, sizeof name, "%s/%s", folder, target);
    if (size < 0 || (size_t)size >= sizeof name)
      return -1;
  }
  return -1;
}

FILE *lathe_open_in_place(const char *path) {
  const int descriptor = lathe_own_descriptor(path);
  const int copy = descriptor >= 0 ? dup(descriptor) : -1;
  return copy >= 0 ? fdopen(copy, "wb") : fopen(path, "wb");
}
