"""Files larger than memory to a coded store: columns on disk, coded a block at a time."""
