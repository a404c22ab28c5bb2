"""What differs for users between two versions of sansho; `python -m benchmarks.oracle` asks."""
