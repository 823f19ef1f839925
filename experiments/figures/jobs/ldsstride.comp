#version 450
#extension GL_ARB_shader_clock : require
#extension GL_ARB_gpu_shader_int64 : require

// One wave reads or writes LDS ACCESSES times in a row, lane i at word i * STRIDE of it, WIDTH words a lane, and keeps the
// cycles that issuing them took. Each access is four words further on than the last: the banks turn round by four, so that all
// conflict alike, and no two are side by side, so that they stay what they are.
layout(local_size_x = 64) in;

layout(constant_id = 0) const uint STRIDE = 1;   // words; a multiple of WIDTH
layout(constant_id = 1) const uint WIDTH = 1;    // words: 1, 2 or 4
layout(constant_id = 2) const uint ACCESSES = 8; // 8 or 16
layout(constant_id = 3) const bool WRITE = false;

layout(set = 0, binding = 0) buffer Cycles { uint cycles; };
layout(set = 0, binding = 1) buffer Sums { uint sums[64]; };

const uint FURTHER = 16 * 4; // words beyond the last lane's place
shared uint words[WIDTH == 1 ? 64 * STRIDE + FURTHER : 1];
shared uvec2 pairs[WIDTH == 2 ? 32 * STRIDE + FURTHER / 2 : 1];
shared uvec4 quads[WIDTH == 4 ? 16 * STRIDE + FURTHER / 4 : 1];

uint at;

uvec4 read(uint i) {
    if (WIDTH == 1) {
        return uvec4(words[at + 4 * i], 0, 0, 0);
    }
    return WIDTH == 2 ? uvec4(pairs[at + 2 * i], 0, 0) : quads[at + i];
}

uint folded(uvec4 v) { return v.x ^ v.y ^ v.z ^ v.w; }

void write(uint i) {
    if (WIDTH == 1) {
        words[at + 4 * i] = at;
    } else if (WIDTH == 2) {
        pairs[at + 2 * i] = uvec2(at);
    } else {
        quads[at + i] = uvec4(at);
    }
}

void main() {
    uint lane = gl_LocalInvocationID.x;
    at = lane * (STRIDE / WIDTH);
    uvec4 got[16] = uvec4[](uvec4(0), uvec4(0), uvec4(0), uvec4(0), uvec4(0), uvec4(0), uvec4(0), uvec4(0),
        uvec4(0), uvec4(0), uvec4(0), uvec4(0), uvec4(0), uvec4(0), uvec4(0), uvec4(0));
    uvec2 before = clock2x32ARB();
    if (WRITE) {
        write(0); write(1); write(2); write(3); write(4); write(5); write(6); write(7);
        if (ACCESSES == 16) {
            write(8); write(9); write(10); write(11); write(12); write(13); write(14); write(15);
        }
    } else {
        got[0] = read(0); got[1] = read(1); got[2] = read(2); got[3] = read(3);
        got[4] = read(4); got[5] = read(5); got[6] = read(6); got[7] = read(7);
        if (ACCESSES == 16) {
            got[8] = read(8); got[9] = read(9); got[10] = read(10); got[11] = read(11);
            got[12] = read(12); got[13] = read(13); got[14] = read(14); got[15] = read(15);
        }
    }
    uvec2 after = clock2x32ARB();
    if (WRITE && sums[lane] != 0) { // never: but a compiler keeps what may be read
        got[0] = read(0); got[1] = read(1); got[2] = read(2); got[3] = read(3);
        got[4] = read(4); got[5] = read(5); got[6] = read(6); got[7] = read(7);
        got[8] = read(8); got[9] = read(9); got[10] = read(10); got[11] = read(11);
        got[12] = read(12); got[13] = read(13); got[14] = read(14); got[15] = read(15);
    }
    sums[lane] = folded(got[0]) ^ folded(got[1]) ^ folded(got[2]) ^ folded(got[3]) ^ folded(got[4]) ^ folded(got[5]) ^
        folded(got[6]) ^ folded(got[7]) ^ folded(got[8]) ^ folded(got[9]) ^ folded(got[10]) ^ folded(got[11]) ^
        folded(got[12]) ^ folded(got[13]) ^ folded(got[14]) ^ folded(got[15]);
    if (lane == 0) {
        cycles = after.x - before.x;
    }
}
