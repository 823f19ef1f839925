#!/usr/bin/env python3
"""Writes a language model with random weights as a GGUF file, for llama-bench.

    random-model.py OUT.gguf [--shape 1b] [--layers N] [--weights q4_0] [--seed 1]

The shapes are those of well-known models; fewer layers make a smaller file and
a shorter run, in which each layer costs what it costs in the whole model.
"""
import argparse
import random
import struct

# layers, width, width of the feed-forward part, heads, heads of keys and values, vocabulary
SHAPES = {
    "tiny": (2, 256, 704, 4, 2, 512),
    "1b": (22, 2048, 5632, 32, 4, 32000),
    "7b": (32, 4096, 11008, 32, 32, 32000),
}

# A type's number in the file, the numbers in a block of it, and the block's bytes.
TYPES = {"f32": (0, 1, 4), "f16": (1, 1, 2), "q4_0": (2, 32, 18), "q8_0": (8, 32, 34)}
FILE_TYPES = {"f16": 1, "q4_0": 2, "q8_0": 7}
ALIGNMENT = 32
BLOCKS_AT_ONCE = 1 << 16

# The sign of a byte with an exponent of half precision that makes numbers of some 2^-6.
SMALL_HALF = bytes(b & 0x80 | 0x24 | b & 0x03 for b in range(256))
SCALE = struct.pack("<e", 1 / 512)


def string(s):
    return struct.pack("<Q", len(s)) + s.encode()


def entry(key, value):
    """Is a key with its value: a string, a whole number or a float."""
    if isinstance(value, str):
        return string(key) + struct.pack("<I", 8) + string(value)
    if isinstance(value, float):
        return string(key) + struct.pack("<If", 6, value)
    return string(key) + struct.pack("<II", 4, value)


def metadata(shape, layers, weights):
    _, width, inner, heads, kv_heads, words = SHAPES[shape]
    return {
        "general.architecture": "llama",
        "general.name": f"random {shape}, {layers} layers",
        "general.file_type": FILE_TYPES[weights],
        "llama.context_length": 2048,
        "llama.embedding_length": width,
        "llama.block_count": layers,
        "llama.feed_forward_length": inner,
        "llama.attention.head_count": heads,
        "llama.attention.head_count_kv": kv_heads,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "llama.rope.dimension_count": width // heads,
        "llama.vocab_size": words,
        "tokenizer.ggml.model": "no_vocab",
    }


def tensors(shape, layers, weights):
    """Gives name, sizes and type of each tensor."""
    _, width, inner, heads, kv_heads, words = SHAPES[shape]
    kv = width // heads * kv_heads
    yield "token_embd.weight", (width, words), weights
    for i in range(layers):
        yield f"blk.{i}.attn_norm.weight", (width,), "f32"
        yield f"blk.{i}.attn_q.weight", (width, width), weights
        yield f"blk.{i}.attn_k.weight", (width, kv), weights
        yield f"blk.{i}.attn_v.weight", (width, kv), weights
        yield f"blk.{i}.attn_output.weight", (width, width), weights
        yield f"blk.{i}.ffn_norm.weight", (width,), "f32"
        yield f"blk.{i}.ffn_gate.weight", (width, inner), weights
        yield f"blk.{i}.ffn_up.weight", (width, inner), weights
        yield f"blk.{i}.ffn_down.weight", (inner, width), weights
    yield "output_norm.weight", (width,), "f32"
    yield "output.weight", (width, words), weights


def count(sizes):
    n = 1
    for s in sizes:
        n *= s
    return n


def bytes_of(sizes, kind):
    _, block, size = TYPES[kind]
    return count(sizes) // block * size


def padding(n):
    return -n % ALIGNMENT


def blocks(kind, n, dice):
    """Gives n blocks of random numbers."""
    if kind == "f32":
        return struct.pack("<f", 1.0) * n  # the norms' factors
    if kind == "f16":
        data = bytearray(dice.randbytes(2 * n))
        data[1::2] = bytes(data[1::2]).translate(SMALL_HALF)
        return bytes(data)
    body = TYPES[kind][2] - len(SCALE)
    noise = dice.randbytes(body * n)
    return b"".join(SCALE + noise[i:i + body] for i in range(0, len(noise), body))


def write(out, shape, layers, weights, seed):
    all_tensors, keys = list(tensors(shape, layers, weights)), metadata(shape, layers, weights)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(all_tensors), len(keys)) + b"".join(entry(k, v) for k, v in keys.items())
    offset = 0
    for name, sizes, kind in all_tensors:
        head += string(name) + struct.pack(f"<I{len(sizes)}QIQ", len(sizes), *sizes, TYPES[kind][0], offset)
        offset += bytes_of(sizes, kind) + padding(bytes_of(sizes, kind))
    out.write(head + b"\0" * padding(len(head)))
    dice = random.Random(seed)
    for _, sizes, kind in all_tensors:
        left = count(sizes) // TYPES[kind][1]
        while left:
            n = min(left, BLOCKS_AT_ONCE)
            out.write(blocks(kind, n, dice))
            left -= n
        out.write(b"\0" * padding(bytes_of(sizes, kind)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--shape", choices=SHAPES, default="1b")
    parser.add_argument("--layers", type=int, help="fewer than the model has")
    parser.add_argument("--weights", choices=FILE_TYPES, default="q4_0")
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    layers = wanted.layers or SHAPES[wanted.shape][0]
    with open(wanted.out, "wb") as out:
        write(out, wanted.shape, layers, wanted.weights, wanted.seed)


main()
