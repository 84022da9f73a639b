# Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The recordings of alsa-utils, which common/fetch.sh gets, at 16 kHz. Needs nothing but Python."""
import array
import math
import operator
import sys
import wave

RATE, FACTOR = 16000, 3
VOICES = ("Front_Left", "Front_Center", "Front_Right", "Side_Left", "Side_Right", "Rear_Left", "Rear_Center", "Rear_Right")


def read(path):
    with wave.open(path, "rb") as file:
        if (file.getnchannels(), file.getsampwidth(), file.getframerate()) != (1, 2, FACTOR * RATE):
            sys.exit("error: %s: expected one channel of 16 bits, 48 kHz" % path)
        return array.array("h", file.readframes(file.getnframes()))


def low_pass(reach=48, cutoff=6800 / (FACTOR * RATE)):
    """The taps of a low pass: a sinc under a Blackman window, of sum 1; 57 dB down at 8 kHz, where decimation folds back."""
    taps = []
    for i in range(-reach, reach + 1):
        x = math.pi * i / (reach + 1)
        window = 0.42 + 0.5 * math.cos(x) + 0.08 * math.cos(2 * x)
        taps.append(window * (math.sin(2 * math.pi * cutoff * i) / (math.pi * i) if i else 2 * cutoff))
    return [tap / sum(taps) for tap in taps]


def decimate(samples):
    taps = low_pass()
    reach = len(taps) // 2
    padded = [0] * reach + list(samples) + [0] * reach
    return [sum(map(operator.mul, taps, padded[i : i + len(taps)])) for i in range(0, len(samples), FACTOR)]


def write_wav(path, samples):
    """`samples` at 16 kHz, in units of a 16-bit sample."""
    data = array.array("h", (min(max(round(x), -32768), 32767) for x in samples))
    with wave.open(path, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(data.tobytes())
