# The command and the Vulkan driver, and what programs on the driver need:
#
#	docker build -t spvsim .
#	docker run --rm -v "$PWD:/work" spvsim run job.yaml
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN mkdir /out && go build -o /out/spvsim ./cmd/spvsim && go build -buildmode=c-shared -o /out/libspvsim_vulkan.so ./vulkan

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends libvulkan1 glslang-tools spirv-tools && rm -rf /var/lib/apt/lists/*
COPY --from=build /out/spvsim /out/libspvsim_vulkan.so /usr/local/bin/
WORKDIR /work
ENTRYPOINT ["spvsim"]
