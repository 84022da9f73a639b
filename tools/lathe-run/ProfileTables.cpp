// The tables of --profile.
#include "lib/Compiler/Describe/Description.h"
#include "tools/lathe-run/Profile.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <fmt/format.h>

using namespace lathe;

/// The most rows of kernels, and of totals.
static constexpr size_t kMostKernels = 40, kMostTotals = 15;

namespace {
/// A line of a table: times and work of all calls that it stands for.
struct TableRow {
  double seconds = 0, flops = 0, bytes = 0, least = 0;
  int calls = 0;
  int line = 0;
  std::string text;

  void add(const ProfileRow &row) {
    seconds += row.seconds;
    flops += row.flops * row.calls;
    bytes += row.bytes * row.calls;
    least += row.least * row.calls;
    calls += row.calls;
  }
};

/// The columns of numbers, from the most important one. A narrow terminal has the first ones only.
enum Column { Share, Time, Line, Limit, Flops, Bytes, kColumns };
constexpr struct {
  const char *name;
  unsigned width;
} kColumn[kColumns] = {{"share", 6}, {"us", 10}, {"line", 5}, {"limit", 6}, {"GFLOP/s", 8}, {"GB/s", 7}};
/// The order in which they are shown, and the least columns for the text after them.
constexpr Column kShown[] = {Share, Time, Flops, Bytes, Limit, Line};
constexpr unsigned kLeastText = 14;

class Tables {
public:
  Tables(const Profile &profile, unsigned width) : profile(profile), width(width), total(profile.total()) {
    hasWork = llvm::any_of(profile.rows, [](const ProfileRow &row) { return row.described; });
    unsigned used = 0;
    for (unsigned column = 0; column < kColumns; ++column) {
      used += kColumn[column].width + 1;
      const bool needsWork = column >= Limit, needsLimits = column == Limit;
      const bool isKnown = (hasWork || !needsWork) && (profile.limits || !needsLimits);
      shows[column] = isKnown && (column < Line || used + 1 + kLeastText <= width);
    }
  }

  std::string write() {
    std::vector<TableRow> kernels;
    for (const ProfileRow &row : profile.rows) {
      TableRow kernel;
      kernel.add(row);
      kernel.line = row.kernel->line;
      kernel.text = nameOf(row);
      kernels.push_back(std::move(kernel));
    }
    table("kernel", std::move(kernels), kMostKernels, true);
    // Totals say nothing new about a single kernel.
    if (profile.rows.size() > 1) {
      text += "\n";
      table("by op", totals(/*byLine=*/false), kMostTotals, false);
      text += "\n";
      table("by line", totals(/*byLine=*/true), kMostTotals, true);
    }
    writeTotal();
    if (profile.limits && hasWork)
      addLimits(*profile.limits);
    return std::move(text);
  }

private:
  static std::string opOf(const ProfileRow &row) {
    llvm::StringRef op = row.kernel->op;
    op.consume_front("lathe.");
    return op.str();
  }

  bool hasFiles() const {
    return llvm::any_of(
        profile.rows, [&](const ProfileRow &row) { return llvm::StringRef(row.kernel->file) != profile.rows[0].kernel->file; });
  }

  /// Returns "dot_general + add x2, exp 'node' in model.onnx (8 calls)". Constants in the kernel are left out.
  std::string nameOf(const ProfileRow &row) const {
    std::string name = opOf(row);
    llvm::SmallVector<llvm::StringRef> fused;
    llvm::StringRef(row.kernel->fused ? row.kernel->fused : "").split(fused, ' ', -1, false);
    llvm::MapVector<llvm::StringRef, int> counts;
    for (llvm::StringRef op : fused) {
      op.consume_front("lathe.");
      if (op != "constant")
        ++counts[op];
    }
    for (auto &[op, count] : counts) {
      name += (op == counts.front().first ? " + " : ", ") + op.str();
      if (count > 1)
        name += fmt::format(" x{}", count);
    }
    if (row.kernel->node)
      name += fmt::format(" '{}'", row.kernel->node);
    if (hasFiles())
      name += fmt::format(" in {}", row.kernel->file);
    if (row.calls > 1)
      name += fmt::format(" ({} calls)", row.calls);
    return name;
  }

  /// Returns the text of the row's line in the graph, or the node of a model.
  std::string lineOf(const ProfileRow &row) const {
    if (row.kernel->node)
      return row.kernel->node;
    llvm::StringRef rest = profile.text, line;
    for (int number = 0; number < row.kernel->line && !hasFiles(); ++number)
      std::tie(line, rest) = rest.split('\n');
    return line.trim().empty() ? row.kernel->file : line.trim().str();
  }

  /// Returns the sums of the rows with an equal op, or an equal line and node.
  std::vector<TableRow> totals(bool byLine) const {
    std::vector<TableRow> sums;
    std::map<std::pair<std::string, int>, size_t> numbers;
    for (const ProfileRow &row : profile.rows) {
      std::string name = byLine ? lineOf(row) : opOf(row);
      auto [known, isNew] = numbers.try_emplace({name, byLine ? row.kernel->line : 0}, sums.size());
      if (isNew) {
        sums.emplace_back();
        sums.back().text = name;
        sums.back().line = row.kernel->line;
      }
      sums[known->second].add(row);
    }
    return sums;
  }

  void table(const char *title, std::vector<TableRow> rows, size_t most, bool hasLines) {
    std::string head;
    for (Column column : kShown)
      if (shows[column])
        head += fmt::format("{:>{}} ", column == Line && !hasLines ? "calls" : kColumn[column].name, kColumn[column].width);
    cut(head + " " + title);
    llvm::stable_sort(rows, [](const TableRow &a, const TableRow &b) { return a.seconds > b.seconds; });
    for (const TableRow &row : llvm::ArrayRef(rows).take_front(most))
      write(row, hasLines);
    if (rows.size() > most) {
      TableRow rest;
      for (const TableRow &row : llvm::ArrayRef(rows).drop_front(most)) {
        rest.seconds += row.seconds;
        rest.flops += row.flops;
        rest.bytes += row.bytes;
        rest.least += row.least;
        rest.calls += row.calls;
      }
      rest.text = fmt::format("{} more", rows.size() - most);
      write(rest, hasLines);
    }
  }

  void write(const TableRow &row, bool hasLines) {
    std::string numbers;
    auto perSecond = [&](double amount) {
      return amount > 0 && row.seconds > 0 ? fmt::format("{:.1f}", amount / row.seconds * 1e-9) : std::string("-");
    };
    auto add = [&](Column column, const std::string &cell) {
      if (shows[column])
        numbers += fmt::format("{:>{}} ", cell, kColumn[column].width);
    };
    add(Share, fmt::format("{:.1f}%", total > 0 ? 100 * row.seconds / total : 0));
    add(Time, fmt::format("{:.1f}", row.seconds * 1e6));
    add(Flops, perSecond(row.flops));
    add(Bytes, perSecond(row.bytes));
    add(Limit, row.least > 0 && row.seconds > 0 ? fmt::format("{:.0f}%", 100 * row.least / row.seconds) : "-");
    add(Line, !hasLines ? std::to_string(row.calls) : row.line ? std::to_string(row.line) : "");
    cut(numbers + " " + row.text);
  }

  void writeTotal() {
    TableRow all;
    for (const ProfileRow &row : profile.rows)
      all.add(row);
    all.text = "all kernels";
    text += "\n";
    write(all, true);
  }

  void addLimits(const MachineLimits &limits) {
    cut(fmt::format("limit: {:.0f} GFLOP/s in f32, {:.0f} in f64, {:.0f} GB/s from memory, {:.0f} from the first cache",
                    limits.flops32 * 1e-9, limits.flops64 * 1e-9, limits.bandwidth.back().second * 1e-9,
                    limits.bandwidth.front().second * 1e-9));
    cut(fmt::format("       with {} thread{}, measured once; --measure-machine measures again", limits.threads,
                    limits.threads == 1 ? "" : "s"));
  }

  /// Appends a line that is cut to the width. A character of several bytes counts as one column and is never cut in two.
  void cut(llvm::StringRef line) {
    size_t columns = 0, end = 0, keep = 0;
    for (; end < line.size(); ++end)
      if ((static_cast<unsigned char>(line[end]) & 0xC0) != 0x80) {
        if (columns + 3 == width)
          keep = end;
        if (columns++ == width)
          break;
      }
    text += end < line.size() ? line.take_front(keep).str() + "..." : line.rtrim().str();
    text += "\n";
  }

  const Profile &profile;
  const unsigned width;
  const double total;
  bool hasWork, shows[kColumns];
  std::string text;
};
} // namespace

std::string profileTables(const Profile &profile, unsigned width) { return Tables(profile, width).write(); }
