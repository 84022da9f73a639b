"""Results as an SVG file: a dot for each peer and row, placed by its time relative to Lathe's on a logarithmic axis. The same results
give the same bytes."""
import math
from xml.sax.saxutils import escape

import results

COLOURS = {"onnxruntime": "#1b6ca8", "openvino": "#7a3e9d", "jax": "#2e8b57", "torch": "#d1495b", "inductor": "#e08e0b"}
LABELS, PANEL, GAP, LINE, TOP = 170, 330, 30, 18, 64
LOW, HIGH = 0.25, 10.0  # ends of the axis; dots outside of it are at the edge
TICKS = (0.5, 1, 2, 5, 10)


def place(value, left):
    share = math.log(min(max(value, LOW), HIGH) / LOW) / math.log(HIGH / LOW)
    return left + share * PANEL


def text(x, y, words, anchor="start", size=12, colour="#222"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}">{escape(words)}</text>'


def axis(left, bottom, threads):
    title = f"{threads} thread{'s' if threads > 1 else ''}: time relative to Lathe"
    parts = [text(left + PANEL / 2, 38, title, "middle", 13)]
    for tick in TICKS:
        x = place(tick, left)
        colour, width = ("#222", 1.5) if tick == 1 else ("#ddd", 1)
        parts.append(f'<line x1="{x:.1f}" y1="{TOP - 8}" x2="{x:.1f}" y2="{bottom}" stroke="{colour}" stroke-width="{width}"/>')
        parts.append(text(x, TOP - 12, f"{tick:g}", "middle", 11, "#555"))
    return parts


def legend(peers):
    parts, x = [], LABELS
    for peer in peers:
        parts += [f'<circle cx="{x}" cy="14" r="5" fill="{COLOURS[peer]}"/>', text(x + 10, 18, results.NAMES[peer])]
        x += 30 + 7 * len(results.NAMES[peer])
    return [*parts, text(x, 18, "left of 1: the peer is faster", colour="#555")]


def dots(found, row, threads, left, y):
    parts = []
    for peer in results.peers_of(found):
        value = results.ratio(found, row, peer, threads)
        if value is not None:
            label = escape(f"{row}, {results.NAMES[peer]}: {value:.2f}")
            parts.append(f'<circle cx="{place(value, left):.1f}" cy="{y}" r="4.5" fill="{COLOURS[peer]}" fill-opacity="0.8">'
                         f"<title>{label}</title></circle>")
    return parts


def svg(file):
    found = results.measured(file)
    names = [row["name"] for row in file["rows"]]
    threads = sorted({count for _, _, count in found})
    width, bottom = LABELS + len(threads) * (PANEL + GAP), TOP + LINE * len(names)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{bottom + 12}" font-family="sans-serif">',
             f'<rect width="{width}" height="{bottom + 12}" fill="white"/>', *legend(results.peers_of(found))]
    for number, count in enumerate(threads):
        left = LABELS + number * (PANEL + GAP)
        parts += axis(left, bottom, count)
        for index, name in enumerate(names):
            parts += dots(found, name, count, left, TOP + LINE * index + LINE // 2)
    parts += [text(LABELS - 12, TOP + LINE * index + LINE // 2 + 4, name, "end") for index, name in enumerate(names)]
    return "\n".join([*parts, "</svg>"]) + "\n"
