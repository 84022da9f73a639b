"""Numbers of a sample of times, and the rule that tells a change from noise. It needs no packages."""

FLOOR = 0.02  # a part of the median that two runs of the same program may differ by, however small their spreads are


def quantile(values, part):
    """Returns the value at a part of the sorted values, between two of them by a straight line."""
    values = sorted(values)
    place = part * (len(values) - 1)
    low = int(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (place - low)


def median(values):
    return quantile(values, 0.5)


def summary(slices):
    """Returns what the results have of a peer, in ms. A slice has nanoseconds: `runs`, `minimum` and `times`, a sample of them."""
    times = [time for part in slices for time in part["times"]]
    low, middle, high = (quantile(times, part) for part in (0.25, 0.5, 0.75))
    return {"median_ms": to_ms(middle), "minimum_ms": to_ms(min(part["minimum"] for part in slices)), "spread_ms": to_ms(high - low),
            "slices_ms": [to_ms(median(part["times"])) for part in slices], "runs": sum(part["runs"] for part in slices)}


def to_ms(nanoseconds):
    return float(f"{nanoseconds / 1e6:.5g}")


def noise(a, b):
    """Returns the difference of two medians, in ms, that does not count: the larger spread, but FLOOR of the smaller median or more."""
    return max(a["spread_ms"], b["spread_ms"], FLOOR * min(a["median_ms"], b["median_ms"]))


def differs(a, b):
    """True if two medians differ by more than their noise."""
    return abs(a["median_ms"] - b["median_ms"]) > noise(a, b)
