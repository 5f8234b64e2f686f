"""k nearest neighbours."""
