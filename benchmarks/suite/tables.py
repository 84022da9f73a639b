"""Results as Markdown tables."""
import math
import textwrap

import results
import stats

KINDS = {"network": "networks", "kernel": "kernels", "training": "training steps"}
README_NAMES = {**results.NAMES, "inductor": "compiled"}


def short(value):
    """Formats milliseconds with three digits."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}" if value >= 0.001 else f"{value:.5f}"


def is_behind(found, row, peer, threads):
    """True if a peer takes less time than Lathe, by more than the noise."""
    ours, theirs = found[row, "lathe", threads], found[row, peer, threads]
    return theirs["median_ms"] < ours["median_ms"] and stats.differs(ours, theirs)


def times(found, row, peer, threads):
    """Returns a peer's time relative to Lathe's, in bold if Lathe is slower; a dash if one of them was not measured."""
    value = results.ratio(found, row, peer, threads)
    if value is None:
        return "-"
    text = f"{value:.2f}" if value < 99.5 else f"{value:.0f}"
    return f"**{text}**" if is_behind(found, row, peer, threads) else text


def threads_of(found):
    return sorted({threads for _, _, threads in found})


def line(cells):
    return f"| {' | '.join(cells)} |"


def head(cells):
    return [line(cells), "|" + "---|" * len(cells)]


def joined(values):
    """Joins the cells of several numbers of threads; a dash if there is nothing in any."""
    return " / ".join(values) if set(values) != {"-"} else ""


def ours_of(found):
    """Returns the ways in which Lathe was measured, with the heads of their columns."""
    return {"lathe": "Lathe ms", "lathe_fast": "fast ms"} if results.has_fast(found) else {"lathe": "Lathe ms"}


def compact(file):
    """Returns one table of all rows: Lathe's milliseconds, those with --math=fast if they were measured, and the peers' times relative
    to Lathe's without it, for each number of threads."""
    found = results.measured(file)
    threads, peers, ours = threads_of(found), results.peers_of(found), ours_of(found)
    lines = head(["", *ours.values(), *(README_NAMES[peer] for peer in peers)])
    for row in file["rows"]:
        entries = [[found.get((row["name"], way, count)) for count in threads] for way in ours]
        cells = [joined([short(entry["median_ms"]) if entry else "-" for entry in each]) for each in entries]
        cells += [joined([times(found, row["name"], peer, count) for count in threads]) for peer in peers]
        lines.append(line([row["name"], *cells]))
    return "\n".join(lines)


def mean(ratios):
    """Returns the geometric mean of the ratios that are there as text, or a dash if there are none."""
    values = [value for value in ratios if value is not None]
    return f"{math.exp(sum(map(math.log, values)) / len(values)):.2f}" if values else "-"


def means(file):
    """Returns a table of the geometric means, over the rows of each kind, of the peers' times relative to Lathe's, and of the best peer's
    in each row. A peer's mean is over the rows that it runs; the row of an empty call does not count."""
    found = results.measured(file)
    threads, peers, ours = threads_of(found), results.peers_of(found), ours_of(found)
    best = {"lathe": "best peer", "lathe_fast": "best peer, fast"}
    lines = head(["", *(README_NAMES[peer] for peer in peers), *(best[way] for way in ours)])
    for kind, title in KINDS.items():
        rows = [row["name"] for row in file["rows"] if row["kind"] == kind and row["name"] != "empty"]
        cells = [joined([mean(results.ratio(found, row, peer, count) for row in rows) for count in threads]) for peer in peers]
        cells += [joined([mean(results.best_ratio(found, row, count, way) for row in rows) for count in threads]) for way in ours]
        if any(cells):
            lines.append(line([title, *cells]))
    return "\n".join(lines)


def deepest(found, row, threads):
    """Names the fastest peer that Lathe is behind by more than the noise, and how many times as long Lathe takes; empty without one."""
    ratios = [(results.ratio(found, row, peer, threads), peer) for peer in results.peers_of(found)]
    ahead = [(value, peer) for value, peer in ratios if value is not None and is_behind(found, row, peer, threads)]
    if not ahead:
        return ""
    value, peer = min(ahead)
    return f"{results.NAMES[peer]}, {1 / value:.2f} x"


def detail(found, row, threads, ours):
    """Returns a row of the detailed table."""
    strict, fast = (found.get((row, way, threads)) for way in results.OURS)
    cells = [row, short(strict["median_ms"]), f"{100 * strict['spread_ms'] / strict['median_ms']:.1f} %"]
    if "lathe_fast" in ours:
        cells.append(short(fast["median_ms"]) if fast else "-")
    cells += [times(found, row, peer, threads) for peer in results.peers_of(found)]
    error = "-" if strict["error"] is None else f"{strict['error']:.0e}"
    return line([*cells, deepest(found, row, threads), error, f"{strict['compile_s']:.2g}"])


def detailed(file, threads):
    """Returns the tables of one number of threads, with spreads, the peer that Lathe is behind, errors and compile times."""
    found = results.measured(file)
    first, *fast = ours_of(found).values()
    parts = []
    for kind, title in KINDS.items():
        rows = [row["name"] for row in file["rows"] if row["kind"] == kind and (row["name"], "lathe", threads) in found]
        if rows:
            names = [results.NAMES[peer] for peer in results.peers_of(found)]
            lines = head([title, first, "spread", *fast, *names, "behind", "error", "compiled in s"])
            parts.append("\n".join(lines + [detail(found, row, threads, ours_of(found)) for row in rows]))
    return "\n\n".join(parts)


def failures(file):
    """Names what was not measured, and why."""
    lines = [f"- {results.NAMES[peer]}: {reason}." for peer, reason in file["missing"].items()]
    lines += [f"- {row['name']}, {results.NAMES[entry['peer']]}, {entry['threads']} thread{'s' * (entry['threads'] > 1)}: "
              f"{entry['failed']}" for row in file["rows"] for entry in row["measured"] if "failed" in entry]
    return "\n".join(["Not measured:", "", *lines]) if lines else ""


CONDITIONS = """{date}, commit {commit}{changed}: {cores} cores of {cpu} (family {family}, model {model}; {flags}; {caches}), \
Linux {kernel}. {versions}. {seconds:g} seconds a peer, row and number of threads, in {slices} slices."""
WIDTH = 135  # of lines of text


def conditions(file):
    """Says what was measured, on which machine and with which versions."""
    machine, lathe = file["machine"], file["lathe"]
    versions = [f"{results.NAMES[peer]} {version}" for peer, version in file["versions"].items() if peer not in (*results.OURS, "inductor")]
    facts = {**machine, **file["settings"], "date": file["date"][:10], "commit": (lathe["commit"] or "unknown")[:12],
             "changed": f" with {lathe['changed_files']} changed files" if lathe["changed_files"] else "",
             "flags": " ".join(machine["flags"]), "caches": ", ".join(f"{name} {size}" for name, size in machine["caches"].items()),
             "versions": ", ".join(versions)}
    return textwrap.fill(CONDITIONS.format(**facts), WIDTH, break_on_hyphens=False)
