"""Small results, as benchmarks/suite/run writes them."""


def entry(peer, threads, median, spread=0.0, **more):
    return {"peer": peer, "threads": threads, "compile_s": 0.25, "error": 1e-6, "median_ms": median, "minimum_ms": median,
            "spread_ms": spread, "slices_ms": [median] * 5, "runs": 100, **more}


def row(name, kind, *measured):
    return {"name": name, "kind": kind, "optimizer": None, "inputs": {"x0": "f32[2,3]"}, "outputs": {"v0": "f32[2]"},
            "parameters": 0, "operations": 0, "measured": list(measured)}


def sample():
    """Returns three rows: Lathe leads the first, is behind OpenVINO in the second, and is behind JAX by less than the noise in the
    third, which ONNX Runtime does not have."""
    rows = [row("first", "network", entry("lathe", 1, 2.0), entry("onnxruntime", 1, 3.0), entry("openvino", 1, 4.0), entry("jax", 1, 5.0),
                entry("lathe", 2, 1.0), entry("onnxruntime", 2, 1.5), entry("openvino", 2, 2.0), entry("jax", 2, 500.0)),
            row("second", "kernel", entry("lathe", 1, 2.0), entry("onnxruntime", 1, 1.8), entry("openvino", 1, 1.0),
                {"peer": "jax", "threads": 1, "failed": "results are 1.0e+00 from the reference"}),
            row("third", "training", entry("lathe", 1, 2.0, spread=0.2), entry("jax", 1, 1.9), entry("lathe", 2, 1.5))]
    return {"format": 1, "date": "2030-01-02T03:04:05+00:00", "lathe": {"commit": "0123456789abcdef", "changed_files": 0},
            "machine": {"cpu": "A CPU", "family": "25", "model": "1", "flags": ["avx2", "fma"], "cores": 2, "caches": {"L2": "1024K"},
                        "governor": None, "memory_gb": 8.0, "kernel": "6.1", "load": 0.1},
            "versions": {"lathe": "0.1.0", "onnxruntime": "1.2.3", "openvino": "2030.1", "jax": "0.9"},
            "missing": {"torch": "the Python package 'torch' cannot be imported"},
            "settings": {"seconds": 3.0, "slices": 5, "threads": [1, 2]}, "rows": rows}
