"""The lessons: what single learners do, how they are judged, and what they do together."""
