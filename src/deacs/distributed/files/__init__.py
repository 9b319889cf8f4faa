"""Files larger than memory to a coded store: two streaming passes, sorted runs on disk."""
