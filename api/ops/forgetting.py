"""Forgetting: what faded and is unimportant is archived, never deleted; what proves useful stays.

A sweep looks at every live memory that may fade: it archives, rehearses what is important or rested
upon before it would fade, and gives full weight to what an assistant wrote once it has proved
useful. A rehearsal is logged as one and never counts as a recall.
"""

from api.ops import retention
from api.ops.garage import SERVICE, Garage, activity
from api.ops.retention import Counted
from graphstore import fading
from graphstore.fading import Fate, Live, Swept

__all__ = ["Swept", "sweep"]


def sweep(garage: Garage) -> Swept:
    """Archive what has faded or expired, rehearse and promote; return how many of each."""
    expiry = activity(garage, SERVICE, "expire-memories")
    done = Swept(expired=fading.expire(garage.graph, expiry))
    for page in fading.pages(garage.graph, owners=garage.settings.memory.owner_decays):
        log = activity(garage, SERVICE, "sweep-memories", "the curve of forgetting")
        done += fading.settle(garage.graph, fate(garage, page), log)
    return done


def fate(garage: Garage, page: tuple[Live, ...]) -> Fate:
    """Return what is to become of some memories now."""
    now, settings = garage.clock.now(), garage.settings.memory
    known = [(each, counted(each)) for each in page]
    return Fate(
        archive=tuple(e for e, c in known if retention.is_to_archive(c, now, settings)),
        rehearse=tuple(e for e, c in known if retention.is_to_rehearse(c, now, settings)),
        promote=tuple(
            e for e, c in known if e.tier == "short" and retention.is_to_promote(c, now, settings)
        ),
    )


def counted(live: Live) -> Counted:
    """Return what retention and heat of a memory are computed from."""
    refreshed = [each for each in (live.last_recalled_at, live.rehearsed_at) if each]
    return Counted(
        created_at=live.created_at,
        refreshed_at=max(refreshed, default=None),
        recalls=live.recalls,
        recall_days=live.recall_days,
        links=live.links,
        importance=live.importance,
        is_owners=live.confirmed,
        is_cited=live.cited,
    )
