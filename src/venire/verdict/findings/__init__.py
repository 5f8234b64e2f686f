"""What a careful colleague would point out before anyone acts on a verdict."""
