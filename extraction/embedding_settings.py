"""Settings of embedding. `api.settings` fills them; defaults here are the shipped ones."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """Which models turn text into vectors, and how much of the machine they take."""

    models: tuple[str, ...] = ("bge-small-en-v1.5",)
    """Names of the embedding models, built-in ones or `ollama/NAME`; the first counts tokens."""
    threads: int = 1
    """Processor threads of each built-in model."""
    ollama_host: str = "http://127.0.0.1:11434"
    """Address of your Ollama server; it must be on this machine."""
