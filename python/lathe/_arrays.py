"""Element types that NumPy itself does not have."""
try:
    import ml_dtypes

    bfloat16 = ml_dtypes.bfloat16
except ImportError:  # arrays of bf16 then hold their bits as uint16
    bfloat16 = None
