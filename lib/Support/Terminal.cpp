#include "lib/Support/Terminal.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace lathe;

/// The narrowest terminal that tables fit, the width of files and pipes, and the seconds without a line.
static constexpr unsigned kNarrowest = 20, kWidthOfFiles = 100;
static constexpr double kSilent = 2;

unsigned lathe::terminalWidth(int descriptor) {
  if (const char *columns = std::getenv("COLUMNS"))
    if (char *end = nullptr; unsigned long width = std::strtoul(columns, &end, 10))
      if (*end == 0 && width >= kNarrowest && width < 100000)
        return unsigned(width);
  winsize size = {};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col >= kNarrowest)
    return size.ws_col;
  return kWidthOfFiles;
}

Progress::Progress(std::string work) : work(std::move(work)), isTerminal(isatty(STDERR_FILENO)) {
  if (isTerminal)
    thread = std::thread([this] { run(); });
}

Progress::~Progress() {
  if (!isTerminal)
    return;
  {
    std::lock_guard<std::mutex> guard(lock);
    isDone = true;
  }
  ended.notify_all();
  thread.join();
  clear();
}

void Progress::set(std::string text) {
  if (!isTerminal)
    return;
  std::lock_guard<std::mutex> guard(lock);
  part = std::move(text);
  isPaused = false;
}

void Progress::clear() {
  std::lock_guard<std::mutex> guard(lock);
  isPaused = true;
  if (std::exchange(isShown, false))
    std::fputs("\r\x1b[K", stderr);
}

/// Rewrites the line. It leaves the last column free, because some terminals wrap a line that fills it.
void Progress::show() {
  std::string line = work + (part.empty() ? "" : ": " + part) + fmt::format(", {:.0f} s", seconds);
  if (size_t width = terminalWidth(STDERR_FILENO); line.size() >= width)
    line = line.substr(0, width - 4) + "...";
  std::fprintf(stderr, "\r%s\x1b[K", line.c_str());
  std::fflush(stderr);
  isShown = true;
}

void Progress::run() {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  std::unique_lock<std::mutex> guard(lock);
  auto wait = std::chrono::duration<double>(kSilent);
  while (!ended.wait_for(guard, wait, [this] { return isDone; })) {
    seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (!isPaused)
      show();
    wait = std::chrono::duration<double>(0.2);
  }
}
