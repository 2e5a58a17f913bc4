"""The managed Neo4j: jars, Java, configuration, process; and a look at a server of one's own."""
