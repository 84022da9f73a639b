// Random mistakes in texts: each graph compiles, or is refused at a place. See docs/fuzzing.md.
#include "lathe/Compiler.h"
#include "test/fuzz/text/Mutate.h"
#include "test/fuzz/text/Texts.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <regex>
#include <sstream>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace textfuzz;

namespace {
struct Options {
  uint64_t seed = 1;
  uint64_t mutants = 1000, first = 0;
  double seconds = 1e9;
  bool print = false; // only the first mutant
  std::string save;   // folder for what is found
  std::vector<std::string> folders;
};

/// The state that the compiling process shares with the one that watches it.
struct Progress {
  uint64_t next;                       // mutant
  uint64_t compiled, refused, objects; // so far
  uint64_t findings;
  char what[512]; // the text that is being compiled
};

constexpr unsigned kMostSeconds = 30;           // for one compilation
constexpr rlim_t kMostMemory = rlim_t(6) << 30; // with the 256 MiB of a stack

const char *const kUsage = "usage: text-fuzz [--seed=S] [--mutants=K] [--first=I] [--seconds=T] [--print] [--save=FOLDER] "
                           "FOLDER...\n";

Options parse(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef argument(argv[i]);
    bool good = true;
    if (argument.consume_front("--seed="))
      good = !argument.getAsInteger(10, options.seed);
    else if (argument.consume_front("--mutants="))
      good = !argument.getAsInteger(10, options.mutants);
    else if (argument.consume_front("--first="))
      good = !argument.getAsInteger(10, options.first);
    else if (argument.consume_front("--seconds="))
      good = !argument.getAsDouble(options.seconds);
    else if (argument.consume_front("--save="))
      options.save = argument.str();
    else if (argument == "--print")
      options.print = true;
    else if (!argument.starts_with("-"))
      options.folders.push_back(argument.str());
    else
      good = false;
    if (!good)
      std::fputs(kUsage, stderr), std::exit(2);
  }
  return options;
}

/// The file of a process's texts. In memory where that can be.
std::string pathOf(pid_t process) {
  return fmt::format("{}/text-fuzz-{}.mlir", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", process);
}

void report(const Options &options, Progress &progress, const std::string &text, const std::string &fault,
            const std::string &diagnostics) {
  ++progress.findings;
  std::printf("mutant %llu of seed %llu: %s: %s\n%.600s\n", (unsigned long long)progress.next, (unsigned long long)options.seed,
              progress.what, fault.c_str(), diagnostics.c_str());
  std::fflush(stdout);
  if (!options.save.empty())
    std::ofstream(fmt::format("{}/{}-{}.mlir", options.save, options.seed, progress.next)) << text;
}

class Fuzzer {
public:
  Fuzzer(const Options &options, Progress &progress)
      : options(options), progress(progress), texts(findTexts(options.folders)), isValid(texts.size()) {
    for (const Text &text : texts)
      pool.add(text.text);
    path = pathOf(getpid());
  }

  /// The mutant of a number: always the same, but for texts that do not compile.
  Mutant draw(uint64_t number) {
    std::mt19937_64 random(options.seed * 0x9E3779B97F4A7C15 + number);
    for (;;) {
      size_t text = random() % texts.size();
      if (!isGood(text))
        continue;
      Mutant mutant = mutate(texts[text].text, pool, random);
      mutant.what = texts[text].name + ": " + mutant.what;
      isObject = random() % 32 == 0;
      return mutant;
    }
  }

  /// Compiles mutants until the last one, or the end of the time.
  void run(std::chrono::steady_clock::time_point end) {
    while (progress.next < options.first + options.mutants && std::chrono::steady_clock::now() < end) {
      Mutant mutant = draw(progress.next);
      note(mutant.what);
      lathe::CompileResult result = compile(mutant.text, isObject);
      std::string fault = faultOf(result, mutant.text);
      if (!fault.empty())
        report(options, progress, mutant.text, fault, result.diagnostics);
      ++(result.status == lathe::CompileStatus::Done ? progress.compiled : progress.refused);
      progress.objects += isObject;
      ++progress.next;
    }
  }

private:
  /// Texts that are refused as they are cannot tell whether a mistake is.
  bool isGood(size_t text) {
    if (isValid[text] == 0) {
      note(texts[text].name + " as it is");
      auto start = std::chrono::steady_clock::now();
      bool good = compile(texts[text].text, /*isObject=*/false).status == lathe::CompileStatus::Done;
      bool isQuick = std::chrono::steady_clock::now() - start < std::chrono::milliseconds(1500);
      isValid[text] = good && isQuick ? 1 : -1;
    }
    return isValid[text] == 1;
  }

  void note(const std::string &what) { std::snprintf(progress.what, sizeof(progress.what), "%s", what.c_str()); }

  lathe::CompileResult compile(const std::string &text, bool isObject) {
    std::ofstream(path, std::ios::binary) << text;
    lathe::CompileOptions compileOptions;
    compileOptions.emit = isObject ? lathe::EmitKind::Object : lathe::EmitKind::MLIR;
    compileOptions.optLevel = 1;
    lathe::CompileResult result;
    llvm::CrashRecoveryContext thread; // with a stack as large as lathec's; not enabled, so that a crash ends the process
    alarm(kMostSeconds);
    thread.RunSafelyOnThread([&] { result = lathe::compileFile(path, compileOptions); }, 256 << 20);
    alarm(0);
    return result;
  }

  /// Returns the fault in the compiler's output, or an empty string.
  std::string faultOf(const lathe::CompileResult &result, const std::string &text) const {
    static const std::regex kPlace("^:([0-9]+):([0-9]+)$");
    if (result.status != lathe::CompileStatus::Done && result.status != lathe::CompileStatus::Refused)
      return result.status == lathe::CompileStatus::WrongUsage ? "told as wrong usage" : "an internal error";
    unsigned errors = 0, lines = llvm::StringRef(text).count('\n') + 1;
    llvm::SmallVector<llvm::StringRef> all;
    llvm::StringRef(result.diagnostics).split(all, '\n');
    for (llvm::StringRef line : all) {
      bool isError = line.contains(": error: ");
      if (!isError || (!line.starts_with(path) && !line.starts_with("lathec:") && !line.starts_with("<unknown>")))
        continue; // a line of the graph
      ++errors;
      std::string place = line.drop_front(std::min(path.size(), line.size())).split(": error: ").first.str();
      std::smatch match;
      if (!line.starts_with(path) || !std::regex_match(place, match, kPlace))
        return "an error without a place";
      unsigned number = std::strtoul(match[1].str().c_str(), nullptr, 10);
      if (number == 0 || number > lines)
        return "an error outside of the text";
    }
    if (result.status == lathe::CompileStatus::Refused && !errors)
      return "refused without a word";
    if (result.status == lathe::CompileStatus::Done && errors)
      return "compiled with errors";
    return "";
  }

  const Options &options;
  Progress &progress;
  std::vector<Text> texts;
  std::vector<signed char> isValid; // by text: not known, yes (1), no (-1)
  Pool pool;
  std::string path;
  bool isObject = false;
};

/// Runs in a process of its own, which ends with the first crash; reports that. False at the end.
bool runOnce(const Options &options, Progress &progress, std::chrono::steady_clock::time_point end) {
  std::fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    rlimit memory{kMostMemory, kMostMemory}, none{0, 0};
    setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_CORE, &none);
    Fuzzer(options, progress).run(end);
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) {
    std::stringstream text;
    text << std::ifstream(pathOf(child)).rdbuf();
    int signal = WTERMSIG(status);
    std::string fault = signal == SIGALRM ? fmt::format("takes more than {} seconds", kMostSeconds)
                                          : fmt::format("crash, {}", strsignal(signal));
    report(options, progress, text.str(), fault, "");
    ++progress.next;
  }
  unlink(pathOf(child).c_str());
  return WIFSIGNALED(status);
}
} // namespace

int main(int argc, char **argv) {
  Options options = parse(argc, argv);
  auto &progress =
      *static_cast<Progress *>(mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  progress.next = options.first;
  if (options.print) {
    std::fputs(Fuzzer(options, progress).draw(options.first).text.c_str(), stdout);
    return unlink(pathOf(getpid()).c_str());
  }
  auto end = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                    std::chrono::duration<double>(std::min(options.seconds, 1e6)));
  while (runOnce(options, progress, end))
    ;
  std::printf("%llu mutants of seed %llu: %llu compile (%llu were made objects), %llu are refused, %llu findings\n",
              (unsigned long long)(progress.next - options.first), (unsigned long long)options.seed,
              (unsigned long long)progress.compiled, (unsigned long long)progress.objects, (unsigned long long)progress.refused,
              (unsigned long long)progress.findings);
  return progress.findings != 0;
}
