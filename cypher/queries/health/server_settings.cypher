// purpose: settings of the server, as they are now
// params: $names
// returns: name, value
CYPHER 25
SHOW SETTINGS YIELD name, value WHERE name IN $names
RETURN name, value ORDER BY name
