# The command and the Vulkan driver, and what programs on the driver need:
#
#	docker build -t spvsim .
#	docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/work" spvsim run job.yaml
#
# Images are of exact versions. The command runs as a user without rights, or as the one of --user, who may write to the mounted folder.
FROM golang:1.26.0-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN mkdir /out && go build -o /out/spvsim ./cmd/spvsim && go build -buildmode=c-shared -o /out/libspvsim_vulkan.so ./vulkan

FROM debian:12.10-slim
RUN apt-get update && apt-get install -y --no-install-recommends libvulkan1 glslang-tools spirv-tools && rm -rf /var/lib/apt/lists/*
COPY --from=build /out/spvsim /out/libspvsim_vulkan.so /usr/local/bin/
RUN useradd --create-home spvsim
USER spvsim
WORKDIR /work
ENTRYPOINT ["spvsim"]
