#include "tools/lathec/Output.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

static std::string failure(const std::string &path) { return "cannot write '" + path + "': " + std::strerror(errno); }

static bool writeAll(std::FILE *file, const std::string &content) {
  return std::fwrite(content.data(), 1, content.size(), file) == content.size() && std::fflush(file) == 0;
}

/// What would stop the renames half way, told before the first.
static std::string obstacle(const std::vector<OutputFile> &files) {
  for (size_t i = 0; i < files.size(); ++i) {
    if (files[i].path == "-")
      continue;
    struct stat info;
    if (stat(files[i].path.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
      return "cannot write '" + files[i].path + "': it is a folder";
    for (size_t j = 0; j < i; ++j)
      if (files[j].path == files[i].path)
        return "cannot write '" + files[i].path + "': two outputs have this name";
  }
  return "";
}

std::string writeWhole(const std::vector<OutputFile> &files) {
  if (std::string error = obstacle(files); !error.empty())
    return error;
  std::vector<std::string> temporaries;
  std::string error;
  for (const OutputFile &file : files) {
    if (file.path == "-") {
      if (!writeAll(stdout, *file.content))
        error = failure("standard output");
      temporaries.emplace_back();
      continue;
    }
    std::string temporary = file.path + "." + std::to_string(getpid()) + ".tmp";
    std::FILE *stream = std::fopen(temporary.c_str(), "wb");
    bool written = stream && writeAll(stream, *file.content);
    if (stream && std::fclose(stream) != 0)
      written = false;
    if (!written)
      error = failure(file.path);
    temporaries.push_back(temporary);
    if (!error.empty())
      break;
  }
  for (size_t i = 0; i < temporaries.size(); ++i) {
    if (temporaries[i].empty())
      continue;
    if (error.empty() && std::rename(temporaries[i].c_str(), files[i].path.c_str()) != 0)
      error = failure(files[i].path);
    if (!error.empty())
      std::remove(temporaries[i].c_str());
  }
  return error;
}
