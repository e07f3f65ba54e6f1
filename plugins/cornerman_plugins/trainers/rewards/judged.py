"""Rewards that a judge or a format gives."""

from __future__ import annotations

import numpy as np

from cornerman_plugins.trainers.batch import Floats


def judge(judged: Floats, /, *, invalid: float = 0.0) -> Floats:
    """r = T(τ), what a judge who saw the task, draft, critique and revision gave; `invalid` where it was unreadable.

    TAIScore, arXiv 2608.30397: T in 1 … 10, invalid JSON earns 0.
    """
    return np.nan_to_num(judged, nan=invalid)


def form(valid: Floats, /) -> Floats:
    """r = the share of the sample's generations that kept to the form, in [0,1]; 0 or 1 for a critique.

    A format reward stands in GUI-Critic-R1 (arXiv 2506.04614), beside accuracy and suggestion; its weights were not
    found.
    """
    return valid


def outcome_form(score: Floats, valid: Floats, /, *, outcome: float = 1.0, form: float = 0.1) -> Floats:
    """r = w_o s + w_f valid. EvolveR, arXiv 2510.16079: R = w_o EM + w_f format.

    The weights 1 and 0.1 are ours. Within a group it ranks as s less a penalty of w_f times the share of invalid
    actions does, such as GiGPO's 0.1 (arXiv 2505.10978).
    """
    return outcome * score + form * valid
