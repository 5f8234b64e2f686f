"""What a candidate, chosen and finished without an outer fold, says of held-out rows."""

from __future__ import annotations

import numpy as np

from venire.combine import Finish, average
from venire.metrics.predictions import Predictions
from venire.validation.plans.plan import Held, Place
from venire.validation.trials.docket import Docket
from venire.verdict.candidates import Candidate
from venire.verdict.learned_weights import combined, shared_outputs, shares


def predicted_by(docket: Docket, candidate: Candidate, place: Place, held: Held) -> Predictions:
    """The predictions of a fold, with the setting, weights and finish that were learned without an outer fold."""
    if candidate.kind == "member":
        predicted = docket.predicted(candidate.name, held, candidate.settings[place])
    else:
        parts = candidate.parts_at[place]
        members = [shared_outputs(docket, part, held) for part in parts]
        predicted = combined(docket, average(np.stack(members), np.array(list(parts.values()))))
    return candidate.finish_at.get(place, Finish())(predicted)


def seen_by(docket: Docket, candidate: Candidate, place: Place) -> Predictions | None:
    """The same models on rows they have seen: those a training error is taken on; None where a family does not tell."""
    trial = docket.plan.outer(*place).trial
    if candidate.kind == "member":
        predicted = docket.seen(candidate.name, trial, candidate.settings[place])
    else:
        parts = candidate.parts_at[place]
        seen = [docket.seen(part.family, trial, part.setting) for part in parts]
        known = [shares(docket, one) for one in seen if one is not None]
        weights = np.array(list(parts.values()))
        predicted = combined(docket, average(np.stack(known), weights)) if len(known) == len(seen) else None
    return None if predicted is None else candidate.finish_at.get(place, Finish())(predicted)
