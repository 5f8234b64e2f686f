"""Models as validation sees them."""
