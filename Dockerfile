# The same image as `make image`, for those who prefer Docker. `make image` needs no engine and is reproducible to the
# byte; here the layers depend on the builder.
#
#   docker build -t pagoda:dev .
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN mkdir -p /root-fs/data /root-fs/tmp /root-fs/etc /root-fs/usr/bin && chmod 1777 /root-fs/tmp && \
    printf 'root:x:0:0:root:/:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/data:/sbin/nologin\n' > /root-fs/etc/passwd && \
    printf 'root:x:0:\nnonroot:x:65532:\n' > /root-fs/etc/group && \
    cp LICENSE /root-fs/usr/ && chown 65532:65532 /root-fs/data && \
    CGO_ENABLED=0 go build -trimpath -ldflags '-s -w -buildid=' -o /root-fs/usr/bin/ ./cmd/coordinator ./cmd/worker

FROM scratch
COPY --from=build /root-fs/ /
USER 65532:65532
WORKDIR /data
ENV PATH=/usr/bin
ENTRYPOINT ["/usr/bin/coordinator"]
