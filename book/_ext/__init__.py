"""What builds the book out of notebooks, prose and library: nothing of it is imported by the library."""
