#include "tools/lathec/Output.h"
#include "runtime/descriptor.h"
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

static std::string failure(const std::string &path) { return "cannot write '" + path + "': " + std::strerror(errno); }

static bool writeAll(std::FILE *file, const std::string &content) {
  return std::fwrite(content.data(), 1, content.size(), file) == content.size() && std::fflush(file) == 0;
}

static bool writeFile(const std::string &path, const std::string &content) {
  std::FILE *file = lathe_open_in_place(path.c_str());
  bool written = file && writeAll(file, content);
  if (file && std::fclose(file) != 0)
    written = false;
  return written;
}

bool isStream(const std::string &path) {
  struct stat info;
  return path == "-" || lathe_own_descriptor(path.c_str()) >= 0 ||
         (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode));
}

/// Returns the file to which a name leads, so that a link stays a link.
static std::string resolved(const std::string &path) {
  char real[PATH_MAX];
  return realpath(path.c_str(), real) ? real : path;
}

/// Returns the reason why a rename would fail, checked before the first one.
static std::string obstacle(const std::vector<OutputFile> &files) {
  for (size_t i = 0; i < files.size(); ++i) {
    struct stat info;
    if (stat(files[i].path.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
      return "cannot write '" + files[i].path + "': it is a folder";
    if (isStream(files[i].path)) // a device or a pipe takes several outputs, one after the other
      continue;
    for (size_t j = 0; j < i; ++j)
      if (resolved(files[j].path) == resolved(files[i].path))
        return "cannot write '" + files[i].path + "': two outputs have this name";
  }
  return "";
}

static std::string temporaryFor(const std::string &path) { return resolved(path) + "." + std::to_string(getpid()) + ".tmp"; }

PartsFile::~PartsFile() {
  close();
  if (!temporary.empty())
    std::remove(temporary.c_str());
}

bool PartsFile::write(const char *bytes, size_t size) {
  if (temporary.empty()) {
    temporary = temporaryFor(path);
    file = lathe_open_in_place(temporary.c_str());
  }
  if (file && std::fwrite(bytes, 1, size, file) == size)
    return true;
  error = failure(path);
  return false;
}

bool PartsFile::close() {
  std::FILE *open = std::exchange(file, nullptr);
  if (open && std::fclose(open) != 0 && error.empty())
    error = failure(path);
  return error.empty();
}

static std::string writeStream(const OutputFile &file) {
  if (file.path == "-")
    return writeAll(stdout, *file.content) ? "" : failure("standard output");
  return writeFile(file.path, *file.content) ? "" : failure(file.path);
}

std::string writeWhole(const std::vector<OutputFile> &files) {
  std::string error = obstacle(files);
  std::vector<std::string> temporaries;
  for (const OutputFile &file : files) {
    if (!error.empty())
      break;
    bool inPlace = isStream(file.path);
    temporaries.push_back(inPlace ? "" : temporaryFor(file.path));
    if (file.parts)
      error = file.parts->close() ? "" : file.parts->error;
    else if (inPlace)
      error = writeStream(file);
    else if (!writeFile(temporaries.back(), *file.content))
      error = failure(file.path);
  }
  for (size_t i = 0; i < temporaries.size(); ++i) {
    if (temporaries[i].empty())
      continue;
    if (error.empty() && std::rename(temporaries[i].c_str(), resolved(files[i].path).c_str()) != 0)
      error = failure(files[i].path);
    if (!error.empty())
      std::remove(temporaries[i].c_str());
  }
  return error;
}
