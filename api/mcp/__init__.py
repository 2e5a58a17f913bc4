"""MCP: the operations as tools for assistants. Replies are bounded; stored text is quoted data."""
