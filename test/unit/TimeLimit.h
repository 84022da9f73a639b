// The time that a test which goes through a long list may take.
#ifndef LATHE_TEST_TIMELIMIT_H
#define LATHE_TEST_TIMELIMIT_H

#include <chrono>
#include <cstdlib>

/// Over LATHE_TEST_SECONDS after its construction, if that is set: continuous integration has an end, and machines that take
/// many times as long as others. Never over without it. Who stops for it says how far it came.
class TimeLimit {
public:
  bool isSet() const { return seconds > 0; }
  bool isOver() const { return isSet() && std::chrono::steady_clock::now() - start > std::chrono::seconds(seconds); }

private:
  static long fromEnvironment() {
    const char *text = std::getenv("LATHE_TEST_SECONDS");
    return text ? std::atol(text) : 0;
  }

  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  long seconds = fromEnvironment();
};

#endif
