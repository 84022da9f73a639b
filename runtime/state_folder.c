/* The folders of a checkpoint directory.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _POSIX_C_SOURCE 200809L
#include "json.h"
#include "safetensors.h"
#include "state_ranks.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "save-"

const char *lathe_save_path(const char *directory, int64_t number, const char *file) {
  static _Thread_local char texts[4][LATHE_PATH];
  static _Thread_local unsigned next;
  char *text = texts[next++ % 4];
  const char *separator = file ? "/" : "";
  if (number < 0)
    snprintf(text, LATHE_PATH, "%s%s%s", directory, separator, file ? file : "");
  else
    snprintf(text, LATHE_PATH, "%s/" FOLDER "%" PRId64 "%s%s", directory, number, separator, file ? file : "");
  return text;
}

const char *lathe_rank_path(const char *directory, int64_t number, int64_t rank) {
  char name[48];
  snprintf(name, sizeof name, "rank-%05" PRId64 ".safetensors", rank);
  return lathe_save_path(directory, number, name);
}

int64_t lathe_latest(const char *directory) {
  lathe_input input;
  lathe_error error;
  char text[64];
  int64_t number = -1;
  if (lathe_input_open(&input, "", lathe_save_path(directory, -1, "latest.json"), &error) != LATHE_OK)
    return -1;
  const bool ok = input.size < sizeof text && lathe_input_read(&input, text, input.size, "latest") == LATHE_OK;
  lathe_json json = {text, text + (ok ? input.size : 0)};
  lathe_json_string key;
  lathe_input_close(&input);
  if (lathe_json_accept(&json, '{') && lathe_json_read_string(&json, &key) && lathe_json_equal(key, "latest") &&
      lathe_json_accept(&json, ':') && lathe_json_read_integer(&json, &number) && lathe_json_accept(&json, '}'))
    return number;
  return -1;
}

lathe_status lathe_set_latest(const char *directory, int64_t number, const char *function, lathe_error *error) {
  lathe_output output;
  char text[48];
  const lathe_status status = lathe_output_open(&output, function, lathe_save_path(directory, -1, "latest.json"), error);
  if (status != LATHE_OK)
    return status;
  lathe_output_write(&output, text, (size_t)snprintf(text, sizeof text, "{\"latest\":%" PRId64 "}\n", number));
  return lathe_output_close(&output, true);
}

int64_t lathe_save_below(const char *directory, int64_t limit) {
  DIR *folder = opendir(directory);
  int64_t largest = -1;
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    const char *digits = entry->d_name + sizeof FOLDER - 1;
    if (strncmp(entry->d_name, FOLDER, sizeof FOLDER - 1) != 0 || digits[strspn(digits, "0123456789")] || !*digits ||
        strlen(digits) > 18)
      continue;
    const int64_t number = strtoll(digits, NULL, 10);
    if (number > largest && number < limit)
      largest = number;
  }
  if (folder)
    closedir(folder);
  return largest;
}

lathe_status lathe_make_folder(const char *path, const char *function, lathe_error *error) {
  if (mkdir(path, 0777) == 0 || errno == EEXIST)
    return LATHE_OK;
  return lathe_fail_io(error, function, path, "create the folder", errno);
}

void lathe_remove_save(const char *directory, int64_t number) {
  const char *path = lathe_save_path(directory, number, NULL);
  DIR *folder = opendir(path);
  for (struct dirent *entry; folder && (entry = readdir(folder));)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      (void)unlinkat(dirfd(folder), entry->d_name, 0);
  if (folder)
    closedir(folder);
  (void)rmdir(path);
}
