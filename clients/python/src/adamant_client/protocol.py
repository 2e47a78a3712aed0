"""The types of the frames on the wire, by the names that the JSON Schema of the protocol has."""

from ._protocol import *  # noqa: F403
