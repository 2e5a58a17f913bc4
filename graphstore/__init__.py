"""The graph store: what Garage keeps, and its only door to Neo4j."""
