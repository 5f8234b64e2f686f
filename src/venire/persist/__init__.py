"""Model files: data only, checked before anything is made of it."""

from venire.persist.model_files import describe_model, load, save

__all__ = ["describe_model", "load", "save"]
