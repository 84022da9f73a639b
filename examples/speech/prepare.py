#!/usr/bin/env python3
# Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""prepare.py SOUNDS FOLDER: writes speech with pauses, FOLDER/speech.wav, and where the speech is, FOLDER/truth.txt.

SOUNDS has the recordings of alsa-utils: a voice that names loudspeakers, two words each, and noise. They are put one after
another at 16 kHz, with pauses, one of which has the recorded noise in it, and quieter noise of a fixed seed over all. The truth
comes of the recordings alone, before there is noise: where a voice is no more than 35 dB below its loudest. Needs nothing but
Python.
"""
import os
import random
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
from voices import RATE, VOICES, decimate, read, write_wav  # noqa: E402

STEP = RATE // 100  # of levels of sound, 10 ms
NOISE_BEHIND, NOISE = 3, "Noise"  # so many voices before it
BACKGROUND = 100.0  # standard deviation, in units of a sample; the voices' loudest 10 ms have some 8,000
BELOW_LOUDEST = 35.0  # dB
CLOSURE = 0.15  # s; what is quiet for less belongs to its word: the mouth is shut before a "t"


def words(voice):
    """Pairs of the sample where a word begins and where it ends."""
    power = [sum(x * x for x in voice[i : i + STEP]) for i in range(0, len(voice), STEP)]
    least = max(power) * 10 ** (-BELOW_LOUDEST / 10)
    found = []
    for begin in (i * STEP for i, p in enumerate(power) if p >= least):
        if found and begin - found[-1][1] < CLOSURE * RATE:
            found[-1][1] = begin + STEP
        else:
            found.append([begin, begin + STEP])
    if len(found) != 2:
        sys.exit("error: expected two words in a recording, got %d" % len(found))
    return found


def main():
    sounds, folder = sys.argv[1:]
    draw = random.Random(1)
    samples, truth = [], []
    names = list(VOICES)
    names.insert(NOISE_BEHIND, NOISE)
    for name in names:
        samples += [0.0] * round(draw.uniform(0.6, 1.4) * RATE)
        sound = decimate(read(os.path.join(sounds, name + ".wav")))
        if name != NOISE:
            truth += [(len(samples) + begin, len(samples) + end) for begin, end in words(sound)]
        samples += sound
    samples += [0.0] * RATE
    write_wav(os.path.join(folder, "speech.wav"), (x + draw.gauss(0, BACKGROUND) for x in samples))
    with open(os.path.join(folder, "truth.txt"), "w") as file:
        file.writelines("%.6f\t%.6f\tword\n" % (begin / RATE, end / RATE) for begin, end in truth)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main()
