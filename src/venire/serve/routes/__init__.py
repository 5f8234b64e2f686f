"""What can be asked of a server: our own routes, MLflow's and those of the Open Inference Protocol."""
