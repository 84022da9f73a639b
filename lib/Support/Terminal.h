// The terminal that a tool writes to: its width, and one line that shows how far long work is.
#ifndef LATHE_SUPPORT_TERMINAL_H
#define LATHE_SUPPORT_TERMINAL_H

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace lathe {

/// Returns the columns of the terminal that a descriptor writes to: the environment's COLUMNS if that is a number of at least
/// 20, else the terminal's own width, else 100.
unsigned terminalWidth(int descriptor);

/// Shows on standard error what long work is doing and for how long: from two seconds after the start on, one line that is
/// rewritten, and removed at the end. Writes nothing if standard error is not a terminal.
class Progress {
public:
  /// `work` begins the line, such as "lathec: net.mlir".
  explicit Progress(std::string work);
  ~Progress();
  Progress(const Progress &) = delete;

  /// Sets the part of the work that runs now, such as "codegen" or "12 of 40". Any thread may call it.
  void set(std::string part);
  /// Removes the line until the next change of its text, so that other output can be written.
  void clear();

private:
  void show();
  void run();

  const std::string work;
  bool isTerminal;
  std::mutex lock;
  std::condition_variable ended;
  bool isDone = false, isShown = false, isPaused = false;
  std::string part;
  double seconds = 0; // since the start, for the line
  std::thread thread;
};

} // namespace lathe

#endif
