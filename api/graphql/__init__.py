"""GraphQL: the operations as one schema. Thin: no rule of its own but the cost limits."""
