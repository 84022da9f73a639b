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


def compact(file):
    """Returns one table of all rows: Lathe's milliseconds and the peers' times relative to it, for each number of threads."""
    found = results.measured(file)
    threads, peers = threads_of(found), results.peers_of(found)
    lines = head(["", "Lathe ms", *(README_NAMES[peer] for peer in peers)])
    for row in file["rows"]:
        ours = [found.get((row["name"], "lathe", count)) for count in threads]
        cells = [joined([short(entry["median_ms"]) if entry else "-" for entry in ours])]
        cells += [joined([times(found, row["name"], peer, count) for count in threads]) for peer in peers]
        lines.append(line([row["name"], *cells]))
    return "\n".join(lines)


def means(file):
    """Returns a table of the geometric means, over the rows of each kind, of the peers' times relative to Lathe's. A peer's mean is over
    the rows that it runs; the row of an empty call does not count."""
    found = results.measured(file)
    threads, peers = threads_of(found), results.peers_of(found)
    lines = head(["", *(README_NAMES[peer] for peer in peers)])
    for kind, title in KINDS.items():
        rows = [row["name"] for row in file["rows"] if row["kind"] == kind and row["name"] != "empty"]
        cells = []
        for peer in peers:
            ratios = [[value for row in rows if (value := results.ratio(found, row, peer, count)) is not None] for count in threads]
            cells.append(joined([f"{math.exp(sum(map(math.log, each)) / len(each)):.2f}" if each else "-" for each in ratios]))
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


def detailed(file, threads):
    """Returns the tables of one number of threads, with spreads, the peer that Lathe is behind, errors and compile times."""
    found = results.measured(file)
    peers = results.peers_of(found)
    parts = []
    for kind, title in KINDS.items():
        rows = [row["name"] for row in file["rows"] if row["kind"] == kind and (row["name"], "lathe", threads) in found]
        if not rows:
            continue
        lines = head([title, "Lathe ms", "spread", *(results.NAMES[peer] for peer in peers), "behind", "error", "compiled in s"])
        for row in rows:
            ours = found[row, "lathe", threads]
            error = "-" if ours["error"] is None else f"{ours['error']:.0e}"
            lines.append(line([row, short(ours["median_ms"]), f"{100 * ours['spread_ms'] / ours['median_ms']:.1f} %",
                               *(times(found, row, peer, threads) for peer in peers), deepest(found, row, threads), error,
                               f"{ours['compile_s']:.2g}"]))
        parts.append("\n".join(lines))
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
    versions = [f"{results.NAMES[peer]} {version}" for peer, version in file["versions"].items() if peer not in ("lathe", "inductor")]
    facts = {**machine, **file["settings"], "date": file["date"][:10], "commit": (lathe["commit"] or "unknown")[:12],
             "changed": f" with {lathe['changed_files']} changed files" if lathe["changed_files"] else "",
             "flags": " ".join(machine["flags"]), "caches": ", ".join(f"{name} {size}" for name, size in machine["caches"].items()),
             "versions": ", ".join(versions)}
    return textwrap.fill(CONDITIONS.format(**facts), WIDTH, break_on_hyphens=False)
