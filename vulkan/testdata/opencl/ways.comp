// The kernels of ways.cl in GLSL; WAY names one.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer A { uint a[]; };
layout(set = 0, binding = 1) readonly buffer B { uint b[]; };
layout(set = 0, binding = 2) buffer Out { uint result[]; };

shared uint tile[64];
shared float floats[64];
shared uint bins[16];

#define ID gl_GlobalInvocationID.x
#define LANE gl_LocalInvocationID.x

float fraction(uint v) { return uintBitsToFloat((v >> 9) | 0x3f800000u); }

void mixed() {
    uint i = ID;
    result[i] = (a[i] ^ b[i]) * 2654435761u + (a[i] << 7 | a[i] >> 25) - (b[i] >> (a[i] & 31));
}

void quotients() {
    uint i = ID;
    uint d = b[i] >> (a[i] & 31) | 1;
    result[i] = a[i] / d + 3 * (a[i] % d);
}

void signed_quotients() {
    uint i = ID;
    int x = int(a[i]), d = int(b[i]) >> (a[i] & 31) | 1;
    result[i] = uint((x >> 3) / d + 3 * ((x >> 3) - (x >> 3) / d * d));
}

void counts() {
    uint i = ID;
    result[i] = bitCount(a[i]) + 64 * (31 - findMSB(b[i] >> (a[i] & 31)));
}

void high_halves() {
    uint i = ID;
    uint high, low;
    int signedHigh, signedLow;
    umulExtended(a[i], b[i], high, low);
    imulExtended(int(a[i]), int(b[i]), signedHigh, signedLow);
    result[i] = high ^ uint(signedHigh);
}

void long_sums() {
    uint i = ID;
    uint64_t x = uint64_t(a[i]) << 32 | b[i];
    uint64_t y = x * 0x9e3779b97f4a7c15ul + (x >> 29);
    result[i] = uint(y >> 32) + uint(y);
}

void products() {
    uint i = ID;
    float x = fraction(a[i]), y = fraction(b[i]);
    precise float z = x * y + (x - y * 0.75) * x;
    result[i] = floatBitsToUint(z);
}

void ordered() {
    uint i = ID;
    precise float x = fraction(a[i]) - 1.5, y = fraction(b[i]) - 1.5;
    precise float z = min(x, y) + floor(max(x, y) * 37.0) + abs(x);
    result[i] = floatBitsToUint(x < y ? z : -z);
}

void conversions() {
    uint i = ID;
    result[i] = uint(float(a[i] & 0xffffff) * 0.37) + uint(int(float(int(b[i]) >> 8) * 0.5));
}

void steps() {
    uint i = ID;
    uint x = a[i] % 10000 + 1, n = 0;
    while (x != 1 && n < 200) {
        if ((x & 1) != 0)
            x = 3 * x + 1;
        else
            x >>= 1;
        n++;
        if (x == b[i] % 1000)
            break;
    }
    result[i] = x * 256 + n;
}

void switched() {
    uint i = ID;
    uint x = b[i];
    switch (a[i] & 7) {
    case 0: x += 5; break;
    case 1: x *= 3; // falls through
    case 2: x ^= 0xff; break;
    case 5: for (uint k = 0; k < (x & 15); k++) x += k * x; break;
    default: x = ~x;
    }
    result[i] = x;
}

void reversed() {
    uint i = ID;
    tile[LANE] = a[i] + LANE;
    barrier();
    result[i] = tile[63 - LANE] * b[i];
}

void reduced() {
    tile[LANE] = a[ID] ^ b[ID];
    for (uint n = 32; n > 0; n >>= 1) {
        barrier();
        if (LANE < n)
            tile[LANE] += tile[LANE + n] * 3;
    }
    if (LANE == 0)
        result[gl_WorkGroupID.x] = tile[0];
}

void summed_floats() {
    floats[LANE] = fraction(a[ID]);
    for (uint n = 1; n < 64; n <<= 1) {
        barrier();
        float x = LANE >= n ? floats[LANE - n] : 0.0;
        barrier();
        floats[LANE] += x;
    }
    result[ID] = floatBitsToUint(floats[LANE]);
}

void counted() {
    uint i = ID;
    atomicAdd(result[a[i] & 63], b[i]);
    atomicMax(result[64 + (a[i] & 7)], b[i]);
    atomicXor(result[80 + (b[i] & 7)], a[i]);
    atomicAdd(result[96], 1);
    atomicOr(result[97], a[i] & b[i] & 0x00ff00ff);
}

void counted_locally() {
    if (LANE < 16)
        bins[LANE] = 0;
    barrier();
    atomicAdd(bins[a[ID] & 15], 1);
    atomicAdd(bins[b[ID] >> 28], 1000);
    barrier();
    if (LANE < 16)
        result[16 * gl_WorkGroupID.x + LANE] = bins[LANE];
}

void private_tables() {
    uint i = ID;
    uint table[8];
    for (uint k = 0; k < 8; k++)
        table[k] = a[i] >> k;
    table[b[i] & 7] += b[i];
    table[b[i] >> 29] ^= 0x55;
    uint sum = 0;
    for (uint k = 0; k < 8; k++)
        sum = 3 * sum + table[k];
    result[i] = sum;
}

void bytes() {
    uint i = ID;
    uint sum = 0, second = 0;
    for (uint k = 0; k < 4; k++) {
        uint x = ((a[i] >> 8 * k) + (b[i] >> 8 * k)) & 255;
        if (k == 1)
            second = x;
        sum |= max(x, 17) << 8 * k;
    }
    result[i] = sum + second;
}

void main() { WAY(); }
