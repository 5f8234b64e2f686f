# A server of one model file, built from a clone. Put the model anywhere below this folder:
#
#     docker build --build-arg MODEL=m.venire -t my-model .
#     docker run -p 8000:8000 -e VENIRE_TOKEN=… my-model
#
# It listens beyond the container, so it asks for the token; clients call it by an address, or by a name that is allowed
# with --allow-host. The file system may be read-only, and no root is needed.
FROM python:3.12-slim AS build

RUN apt-get update && apt-get install -y --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
COPY pyproject.toml CMakeLists.txt README.md LICENSE /venire/
COPY core /venire/core
COPY src /venire/src
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels /venire

FROM python:3.12-slim

COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir "$(echo /wheels/venire-*.whl)[serve]" pyarrow && rm -r /wheels \
  && useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin venire

ARG MODEL=m.venire
COPY --chown=10001 ${MODEL} /models/model.venire

# By its number: a cluster that lets no root in cannot tell by a name.
USER 10001
ENV PYTHONUNBUFFERED=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s CMD \
  ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/health', timeout=4)"]

ENTRYPOINT ["venire", "serve", "model=/models/model.venire", "--host", "0.0.0.0", "--port", "8000"]
