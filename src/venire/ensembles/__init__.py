"""Many learners as one."""
