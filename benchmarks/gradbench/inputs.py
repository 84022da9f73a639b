"""Inputs of GradBench's programs, made here with a fixed seed: arrays by name, as the graphs take them, and what the C++ programs read
from a file of JSON."""
import numpy as np


def gmm(n, k, d):
    draw = np.random.default_rng(1)
    arrays = {"alphas": draw.normal(size=k), "means": draw.uniform(size=(k, d)), "q": draw.normal(0, 0.3, (k, d)),
              "l": draw.normal(0, 0.3, (k, d * (d - 1) // 2)), "x": draw.normal(size=(n, d)), "gamma": np.array(1.0), "m": np.array(0.0)}
    names = {"alphas": "alpha", "means": "mu"}
    return arrays, {"n": n, "k": k, "d": d, **{names.get(name, name): array.tolist() for name, array in arrays.items()}, "m": 0}


def ba(n, m, p):
    """One camera, one point and one sighting, repeated: GradBench's files hold no more, so that it computes the same P times."""
    draw = np.random.default_rng(2)
    camera = np.concatenate([draw.normal(0, 0.3, 3), draw.normal(0, 0.5, 2), [-6.0], [500.0, 320.0, 240.0], draw.normal(0, 0.02, 2)])
    point, feature, w = draw.normal(size=3), 300 + draw.normal(0, 50, 2), draw.uniform()
    arrays = {"cameras": np.tile(camera, (n, 1)), "points": np.tile(point, (m, 1)), "w": np.full(p, w),
              "camera": np.arange(p, dtype=np.int32) % n, "point": np.arange(p, dtype=np.int32) % m, "sightings": np.tile(feature, (p, 1))}
    return arrays, {"n": n, "m": m, "p": p, "cam": camera.tolist(), "x": point.tolist(), "w": w, "feat": feature.tolist()}


def lstm(layers, characters, bits):
    draw = np.random.default_rng(3)
    main, extra = draw.uniform(size=(2 * layers, 4 * bits)), draw.uniform(size=(3, bits))
    state, text = draw.uniform(size=(2 * layers, bits)), (draw.uniform(size=(characters, bits)) < 0.5).astype(float)
    arrays = {"weights": main[0::2].reshape(layers, 4, bits), "biases": main[1::2].reshape(layers, 4, bits),
              "in_weight": extra[0], "out_weight": extra[1], "out_bias": extra[2], "hidden": state[0::2], "cell": state[1::2],
              "now": text[:-1], "next": text[1:]}
    return arrays, {"main_params": main.tolist(), "extra_params": extra.tolist(), "state": state.tolist(), "sequence": text.tolist()}


def ht(vertices, points):
    """A hand of random bones, in the order of ADBench's: the wrist, five fingers of four bones, the forearm."""
    draw = np.random.default_rng(4)
    bones = 22
    parents = [-1] + [0 if i % 4 == 1 else i - 1 for i in range(1, 21)] + [0]

    def placed(count):  # matrices of a turn and a shift
        turns, _ = np.linalg.qr(draw.normal(size=(count, 3, 3)))
        matrices = np.tile(np.eye(4), (count, 1, 1))
        matrices[:, :3, :3], matrices[:, :3, 3] = turns, draw.normal(size=(count, 3))
        return matrices

    weights = draw.uniform(size=(vertices, bones))
    arrays = {"theta": draw.normal(0, 0.5, 26), "us": draw.uniform(size=(points, 2)), "relative": placed(bones), "inverse": placed(bones),
              "places": np.concatenate([draw.normal(size=(vertices, 3)), np.ones((vertices, 1))], 1),
              "weights": weights / weights.sum(1, keepdims=True), "corners": None, "points": draw.normal(size=(points, 3))}
    triangles = draw.integers(0, vertices, (2 * vertices, 3))
    chosen = draw.integers(0, len(triangles), points)
    arrays["corners"] = triangles[chosen].astype(np.int32)
    model = {"bone_names": [f"bone{i}" for i in range(bones)], "parents": parents, "is_mirrored": False,
             "base_relatives": arrays["relative"].tolist(), "inverse_base_absolutes": arrays["inverse"].tolist(),
             "base_positions": arrays["places"].tolist(), "weights": arrays["weights"].tolist(), "triangles": triangles.tolist()}
    data = {"model": model, "correspondences": chosen.tolist(), "points": arrays["points"].tolist()}
    return arrays, {"theta": arrays["theta"].tolist(), "us": arrays["us"].tolist(), "data": data}


def kmeans(n, k, d):
    points = np.random.default_rng(5).uniform(size=(n, d))
    centroids = points[-k:].copy()  # so that each is the nearest of some point
    return {"centroids": centroids, "points": points}, {"points": points.tolist(), "centroids": centroids.tolist()}


def llsq(n, m):
    x = np.random.default_rng(6).uniform(size=m)
    return {"x": x, "t": -1 + np.arange(n) * 2 / (n - 1)}, {"x": x.tolist(), "n": n}


def det(ell):
    a = np.random.default_rng(7).uniform(size=(ell, ell))
    return {"a": a}, {"A": a.ravel().tolist(), "ell": ell}


def ode(n, s):
    """Near (i + 1) / 2 the last component at the end is near 1, where GradBench's numbers below 1 make it 0 with many components."""
    x = np.arange(1, n + 1) / 2 * np.random.default_rng(8).uniform(0.99, 1.01, n)
    return {"x": x, "lengths": np.full(s, 2 / s)}, {"x": x.tolist(), "s": s}
