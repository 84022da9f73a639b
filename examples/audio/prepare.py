#!/usr/bin/env python3
# Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""prepare.py SOUNDS FOLDER: writes recordings to learn from, FOLDER/learn.wav, others, FOLDER/clean.wav and FOLDER/noisy.wav, and the
matrices of a Fourier transform of 256 samples with a window, FOLDER/analysis.npy and FOLDER/synthesis.npy.

SOUNDS has the recordings of alsa-utils: a voice that names loudspeakers. Two of eight are held back. The noise added to them is
a hum of a mains with two overtones and hiss that is louder at low frequencies, of a fixed seed. Needs nothing but Python.
"""
import math
import os
import random
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
from npy import write_npy  # noqa: E402
from voices import RATE, VOICES, decimate, read, write_wav  # noqa: E402

HELD_BACK = ("Front_Right", "Rear_Left")
FRAME = 256
PAUSE = RATE // 4
SIGNAL_TO_NOISE = 5.0  # dB, over the whole recording
HUM = (50, 150, 250)  # Hz


def noise(length, draw):
    """A third of its power is hum, the rest is hiss."""
    hiss, last = [], 0.0
    for _ in range(length):
        last = 0.6 * last + draw.gauss(0, 1)
        hiss.append(last)
    scale = math.sqrt(sum(x * x for x in hiss) / length)
    louder = 1 / math.sqrt(len(HUM))  # times the root of 2 for the power of a sine, times the root of 1 / 2 for a third of the power
    return [x / scale + sum(louder * math.sin(2 * math.pi * f * i / RATE) for f in HUM) for i, x in enumerate(hiss)]


def write_transforms(folder):
    """The window, before and after, is the root of Hann's: four frames that overlap add up to twice the sound."""
    turn = 2 * math.pi / FRAME
    window = [math.sin(math.pi * i / FRAME) for i in range(FRAME)]
    bins = range(FRAME // 2 + 1)
    analysis = [[window[i] * math.cos(turn * (i * k % FRAME)) for k in bins] + [-window[i] * math.sin(turn * (i * k % FRAME)) for k in bins]
                for i in range(FRAME)]
    # All frequencies but the first and the last stand for two.
    weight = [(1 if k in (bins[0], bins[-1]) else 2) / (2 * FRAME) for k in bins] * 2
    synthesis = [weight[k] * analysis[i][k] for k in range(len(weight)) for i in range(FRAME)]
    write_npy(os.path.join(folder, "analysis.npy"), "<f4", (FRAME, len(weight)), sum(analysis, []))
    write_npy(os.path.join(folder, "synthesis.npy"), "<f4", (len(weight), FRAME), synthesis)


def main():
    sounds, folder = sys.argv[1:]
    learn, held_back = [], []
    for name in VOICES:
        part = held_back if name in HELD_BACK else learn
        part += [0.0] * PAUSE + decimate(read(os.path.join(sounds, name + ".wav")))
    held_back += [0.0] * (-len(held_back) % 64)
    added = noise(len(held_back), random.Random(1))
    power = sum(x * x for x in held_back) / sum(x * x for x in added)
    scale = math.sqrt(power / 10 ** (SIGNAL_TO_NOISE / 10))
    write_transforms(folder)
    write_wav(os.path.join(folder, "learn.wav"), learn)
    write_wav(os.path.join(folder, "clean.wav"), held_back)
    write_wav(os.path.join(folder, "noisy.wav"), (x + scale * n for x, n in zip(held_back, added)))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main()
