// purpose: what is stored under these addresses, to compare with what was read
// params: $uris
// returns: uri, uid, class, message_id, thread_key, chunks [{uid, ordinal, start, end, heading, text, content_sha256,
//   class, trust, source, identifiers}]
CYPHER 25
UNWIND $uris AS uri
MATCH (d:Document {uri: uri})
CALL (d) {
  OPTIONAL MATCH (d)-[:HAS_CHUNK]->(c:Chunk)
  WITH c ORDER BY c.ordinal
  RETURN collect(c {.uid, .ordinal, .start, .end, .heading, .text, .content_sha256, .class, .trust,
                    .source, .identifiers}) AS chunks
}
RETURN d.uri AS uri, d.uid AS uid, d.class AS class, d.message_id AS message_id, d.thread_key AS thread_key, chunks
