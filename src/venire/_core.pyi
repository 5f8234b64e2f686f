"""The compiled core of venire."""



def simd_level() -> str:
    """The widest vector instructions in use: 'baseline', 'avx2' or 'avx512'."""
