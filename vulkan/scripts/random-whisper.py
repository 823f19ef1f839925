#!/usr/bin/env python3
"""Writes a model of whisper.cpp's own format with random weights.

    random-whisper.py FILE [--state N] [--layers N] [--audio N] [--seed K]

Encoder and decoder have as many layers of as many numbers a token, in heads of 64;
the encoder has so many positions. Words and filters are there in number only.
"""
import argparse
import array
import random
import struct

WORDS = 51864  # of the English models, without which whisper.cpp takes other words for its marks
TEXT = 448  # positions of the decoder
MELS, BINS = 80, 201
F32, F16 = 0, 1


def tensors(state, layers, audio):
    """Gives name, type and sizes of each tensor, the one that varies fastest first."""
    for part, positions in (("encoder", audio), ("decoder", TEXT)):
        yield f"{part}.positional_embedding", F32, (state, positions)
        for layer in range(layers):
            block = f"{part}.blocks.{layer}."
            for kind in ("attn", "cross_attn")[: 1 if part == "encoder" else 2]:
                yield from normal(block + kind + "_ln", state)
                for name in ("query", "key", "value", "out"):
                    yield from linear(f"{block}{kind}.{name}", state, state, bias=name != "key")
            yield from normal(block + "mlp_ln", state)
            yield from linear(block + "mlp.0", state, 4 * state)
            yield from linear(block + "mlp.2", 4 * state, state)
    for name, inputs in (("conv1", MELS), ("conv2", state)):
        yield f"encoder.{name}.weight", F16, (3, inputs, state)
        yield f"encoder.{name}.bias", F32, (1, state)
    yield from normal("encoder.ln_post", state)
    yield from normal("decoder.ln", state)
    yield "decoder.token_embedding.weight", F16, (state, WORDS)


def normal(name, size):
    yield name + ".weight", F32, (size,)
    yield name + ".bias", F32, (size,)


def linear(name, inputs, outputs, bias=True):
    yield name + ".weight", F16, (inputs, outputs)
    if bias:
        yield name + ".bias", F32, (outputs,)


def numbers(draw, kind, count):
    """Gives random numbers of 1/16 and smaller, a few thousand of them over and over."""
    some = [draw.uniform(-1 / 16, 1 / 16) for _ in range(min(count, 4096))]
    packed = struct.pack(f"<{len(some)}{'e' if kind == F16 else 'f'}", *some)
    size = count * (2 if kind == F16 else 4)
    return (packed * (size // len(packed) + 1))[:size]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--state", type=int, default=64)
    parser.add_argument("--layers", type=int, default=1)
    parser.add_argument("--audio", type=int, default=64)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    if wanted.state % 64 or wanted.state < 64:
        parser.error(f"--state {wanted.state}: want a multiple of 64, as heads have 64")
    draw, heads = random.Random(wanted.seed), wanted.state // 64
    with open(wanted.file, "wb") as f:
        f.write(struct.pack("<I11i", 0x67676D6C, WORDS, wanted.audio, wanted.state, heads, wanted.layers, TEXT, wanted.state, heads, wanted.layers, MELS, F16))
        f.write(struct.pack("<2i", MELS, BINS) + array.array("f", bytes(4 * MELS * BINS)).tobytes())
        f.write(struct.pack("<i", 0))
        for name, kind, sizes in tensors(wanted.state, wanted.layers, wanted.audio):
            f.write(struct.pack(f"<{3 + len(sizes)}i", len(sizes), len(name), kind, *sizes) + name.encode())
            count = 1
            for size in sizes:
                count *= size
            f.write(numbers(draw, kind, count))


main()
