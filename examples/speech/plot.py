#!/usr/bin/env python3
# Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""plot.py FILE.wav FOLDER [TRUTH.txt RECORD.txt]: draws the sound and what speech has left in FOLDER into FOLDER/speech.png.

With the truth, fails where less than 90 % of the speech is found, or more than 10 % of the pauses taken for speech, and where a
probability is off by more than 1e-3 from the one that compare.py recorded. Needs nothing but Python.
"""
import array
import os
import sys
import wave

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
from npy import read_npy  # noqa: E402
from picture import BLUE, BLUE_PALE, GREEN, GREY, INK, RED, Canvas, Plot  # noqa: E402

LEAST_FOUND, MOST_WRONG, THRESHOLD, TOLERANCE = 90.0, 10.0, 0.5, 1e-3


def read_segments(path):
    with open(path) as file:
        return [tuple(float(word) for word in line.split()[:2]) for line in file]


def total(segments):
    return sum(end - begin for begin, end in segments)


def common(a, b):
    """How long two lists of segments have in common; those of one list are apart from each other."""
    return sum(max(min(p[1], q[1]) - max(p[0], q[0]), 0) for p in a for q in b)


def compare(found, truth, length):
    """Whether what is found is the truth, as far as asked."""
    both = common(found, truth)
    right, wrong = 100 * both / total(truth), 100 * (total(found) - both) / (length - total(truth))
    print("speech found: %.1f %% of %.2f s; pauses taken for speech: %.1f %% of %.2f s"
          % (right, total(truth), wrong, length - total(truth)))
    if not right >= LEAST_FOUND:
        print("at least %g %% of the speech is asked" % LEAST_FOUND)
    if not wrong <= MOST_WRONG:
        print("at most %g %% of the pauses is asked" % MOST_WRONG)
    return right >= LEAST_FOUND and wrong <= MOST_WRONG


def agree(probability, path):
    """Whether the probabilities are those recorded."""
    with open(path) as file:
        recorded = [float(word) for word in file.read().split()]
    if len(probability) != len(recorded):
        print("%d probabilities, %d are recorded: the sound is another one" % (len(probability), len(recorded)))
        return False
    differences = [abs(p - q) for p, q in zip(probability, recorded)]
    same = all(difference <= TOLERANCE for difference in differences)  # a NaN is not
    print("probabilities: %s those of ONNX Runtime, to %g" % ("all are" if same else "NOT all are", TOLERANCE))
    return same


def draw_bars(plot, segments, top, height, colour):
    for begin, end in segments:
        left = round(plot.x(begin))
        plot.canvas.box(left, top, max(round(plot.x(end)) - left, 1), height, colour)


def draw_sound(plot, samples, rate):
    scale = len(samples) / (plot.right - plot.left)
    for x in range(plot.left, plot.right):
        part = samples[int((x - plot.left) * scale) : int((x - plot.left + 1) * scale) + 1]
        if part:
            plot.canvas.stroke_column(x, plot.y(max(part) / 32768) - 0.5, plot.y(min(part) / 32768) + 0.5, GREY)


def draw(samples, rate, probability, found, truth):
    length = len(samples) / rate
    canvas = Canvas(1240, 470)
    canvas.text(90, 20, "sound by second", INK)
    for x, colour, text in ((330, BLUE_PALE, "speech, as found"),) + ((590, GREEN, "speech, truth"),) * bool(truth):
        canvas.box(x, 20, 22, 14, colour)
        canvas.text(x + 32, 20, text, INK)
    loudest = max(max(samples), -min(samples), 1) / 32768
    sound = Plot(canvas, (90, 56, 1210, 236), (0, length), (-loudest, loudest))
    draw_bars(sound, found, sound.top, sound.bottom - sound.top, BLUE_PALE)
    draw_bars(sound, truth, sound.top - 8, 6, GREEN)
    draw_sound(sound, samples, rate)
    sound.frame(y_ticks=[(0, "0")])
    canvas.text(90, 282, "probability of speech, frame by frame", INK)
    plot = Plot(canvas, (90, 314, 1210, 426), (0, length), (0, 1))
    draw_bars(plot, found, plot.top, plot.bottom - plot.top, BLUE_PALE)
    plot.frame(y_ticks=[(0, "0"), (0.5, "0.5"), (1, "1")])
    plot.level(THRESHOLD, RED)
    plot.curve([p if p == p else 0 for p in probability], BLUE, 1.6)  # a NaN has no place
    return canvas


def main():
    folder = sys.argv[2]
    with wave.open(sys.argv[1], "rb") as file:
        rate, samples = file.getframerate(), array.array("h", file.readframes(file.getnframes()))
    _, probability = read_npy(os.path.join(folder, "probability.npy"))
    found = read_segments(os.path.join(folder, "segments.txt"))
    truth = read_segments(sys.argv[3]) if len(sys.argv) == 5 else []
    picture = os.path.join(folder, "speech.png")
    draw(samples, rate, probability, found, truth).write_png(picture)
    print("picture: %s" % picture)
    if truth:
        checks = [compare(found, truth, len(samples) / rate), agree(probability, sys.argv[4])]
        sys.exit(not all(checks))


if __name__ == "__main__":
    if len(sys.argv) not in (3, 5):
        sys.exit(__doc__)
    main()
