#!/usr/bin/env bash
# Records where the command spends the processor's time, for the Go compiler: builds of ./cmd/spvsim inline by
# cmd/spvsim/default.pgo (go.dev/doc/pgo). Each run takes a second or two: compute, gathers, stores, atomics and graphs, on
# machines of each kind, timed, sampled and without time. The file differs a little each time. It need not be as new as the
# code: what it does not name is compiled as without it.
set -euo pipefail
cd "$(dirname "$0")"
dir=$(mktemp -d)
trap 'rm -r "$dir"' EXIT
go build -pgo=off -o "$dir/spvsim" .
n=0
while read -r job; do
  # Status 1: the results are not what the job expects, as its size is another.
  "$dir/spvsim" run --quiet --threads 1 --cpuprofile "$dir/$((n++)).prof" $job 2>/dev/null || [ $? = 1 ]
done <<'JOBS'
peer-fir --param n=1048576
peer-matmul --param n=512
peer-bitonic --param log2n=16 --param n=65536
peer-convolution --param width=2048 --param height=1024
peer-transpose --param n=2048
peer-atax --param n=2048
peer-matmul --machine cdna3-mi300a --param n=512
peer-fir --machine cdna3-mi300a --param n=2097152
peer-convolution --machine rdna3-rx7900xtx --param width=1024 --param height=1024
micro-gather --param bytes=16777216 --param loads=16 --param groups=320
micro-gather --machine cdna3-mi300a --param bytes=16777216 --param loads=16 --param groups=320
micro-gather --machine gcn3-r9nano --param bytes=16777216 --param loads=16 --param groups=320
micro-atomic --param words=1024 --param groups=320
micro-stream --machine cdna2-mi210 --param n=2000000
koch --param depth=9
bfs --param vertices=16384
mandelbrot --param size=1024
nbody --param n=4096
fft --param transforms=1024
flash-attention --param size=1024
textured-triangle --param size=1024
peer-fir --mode sampled --param n=16777216
peer-atax --mode sampled --param n=4096
peer-fir --mode functional --param n=16777216
peer-matmul --mode functional --param n=1024
peer-convolution --mode functional --param width=4096 --param height=2048
JOBS
go tool pprof -proto -output default.pgo "$dir"/*.prof
