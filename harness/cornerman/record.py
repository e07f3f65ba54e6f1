"""The base of everything that a run records."""

from __future__ import annotations

import msgspec


class Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Base of all records: frozen, keyword only, defaults left out on disk."""
