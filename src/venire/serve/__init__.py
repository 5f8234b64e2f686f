"""Model files behind an address: predictions over HTTP for programs that speak venire's, MLflow's or KServe's way."""
