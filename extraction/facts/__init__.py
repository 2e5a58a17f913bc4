"""Facts: what a document states, as sentences that stand alone. Text in, records out.

`distilling.distil` is the door. No network, no database; no language model is needed.
"""
