"""Feeds mutated pages, archives, PDFs, knowledge bases and questions to sansho, and keeps a small
copy of whatever breaks it.

    python -m benchmarks.fuzz [TARGET…] [--cases N] [--seed N] [--workers N] [--keep FOLDER]
    python -m benchmarks.fuzz pages --seed 7 --only 1234      # one case, exactly as it was
    python -m benchmarks.fuzz --again FOLDER                  # the inputs that were kept

A target makes inputs and says what must hold of them. Each case depends on the seed and its own
number alone. An input that fails is made smaller as long as it fails in the same way, and is kept
with its traceback. The exit code is 1 if anything failed.

`case` says what a case is; `hostile`, `mutators` and `structure` make inputs, from `seeds`
(`own_seeds` are written for this); `pages`, `sources`, `made_files`, `builds`, `bases` and
`queries` are the targets; `guard` bounds a case's time and memory and sees what it prints; `checks`
says what holds of every page; `minimize`, `kept`, `run` and `report` do the rest.
"""
