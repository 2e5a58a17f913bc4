# The service in a container. It needs a Neo4j beside it: see docker-compose.yml and docs/docker.md.

FROM python:3.12-slim AS build
WORKDIR /src
RUN python -m venv /opt/garage
COPY requirements.lock ./
RUN /opt/garage/bin/python -m pip install --disable-pip-version-check --no-cache-dir --require-hashes -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY graphstore graphstore
COPY extraction extraction
COPY communities communities
COPY api api
COPY cypher cypher
RUN /opt/garage/bin/python -m pip install --disable-pip-version-check --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.12-slim
# git reads the sources that are repositories.
RUN apt-get update && apt-get install -y --no-install-recommends git && rm -rf /var/lib/apt/lists/*
RUN useradd --uid 1000 --create-home garage && install -d -o garage -g garage -m 700 /data
COPY --from=build /opt/garage /opt/garage
ENV PATH=/opt/garage/bin:$PATH \
    GARAGE_DATA=/data \
    GARAGE_CACHE=/cache \
    GARAGE_SERVICE__BIND=0.0.0.0 \
    GARAGE_SERVICE__PORT=8765
# The embedding models and the pages' parts, by hash: at run time nothing is fetched or unpacked.
RUN NEO4J_URI=bolt://neo4j:7687 garage setup && rm -rf /cache/maven && chmod -R a+rX /cache
USER garage
WORKDIR /data
VOLUME /data
EXPOSE 8765
STOPSIGNAL SIGTERM
CMD ["garage", "serve"]
