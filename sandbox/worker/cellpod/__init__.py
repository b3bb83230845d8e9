"""The worker: IPython behind one ordered channel of envelopes (docs/sandbox-protocol.md)."""
