"""Why a fitted model predicts what it predicts."""
