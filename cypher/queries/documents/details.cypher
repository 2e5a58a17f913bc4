// purpose: documents with what their neighbours tell
// params: $uids
// returns: document, authors, replies_to, thread, attachment_of, attachments, pending_chunks
CYPHER 25
UNWIND $uids AS uid
MATCH (d:Document {uid: uid})-[:FROM]->(s:Source)
CALL (d) {
  OPTIONAL MATCH (d)-[:AUTHORED_BY]->(e:Entity)
  WITH e ORDER BY e.name
  RETURN collect(e {.uid, .name, is_self: coalesce(e.is_self, false)}) AS authors
}
CALL (d) {
  OPTIONAL MATCH (d)-[:REPLIES_TO]->(r:Document) RETURN collect(r.uri) AS replies_to
}
CALL (d) {
  OPTIONAL MATCH (d)-[:IN_THREAD]->(r:Document) RETURN collect(r.uri) AS thread
}
CALL (d) {
  OPTIONAL MATCH (d)-[:ATTACHMENT_OF]->(r:Document) RETURN collect(r.uri) AS attachment_of
}
CALL (d) {
  OPTIONAL MATCH (d)<-[:ATTACHMENT_OF]-(r:Document)
  WITH r ORDER BY r.uri
  RETURN collect(r.uri) AS attachments
}
CALL (d) {
  OPTIONAL MATCH (d)-[:HAS_CHUNK]->(c:Unembedded) RETURN count(c) AS pending_chunks
}
RETURN d {.uid, .uri, .path, .title, .mime, .language, .class, .trust, .content_sha256, .bytes,
          .characters, .tokens, .chunks, .mtime, .created_at, .updated_at, source: s.slug,
          is_memory: d:Memory, form: coalesce(d.form, 'text')} AS document,
       authors, replies_to, thread, attachment_of, attachments, pending_chunks
ORDER BY document.uri
