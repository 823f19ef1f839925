#version 450
#extension GL_EXT_shared_memory_block : require

// Fourier transforms of 1024 complex numbers, one workgroup each: five radix-4 stages of Stockham's algorithm. Real and
// imaginary parts change places one after the other through the same bytes of LDS,
// under two names: half the LDS of an array of complex numbers.
layout(local_size_x = 256) in;

layout(set = 0, binding = 0) readonly buffer Source { vec2 source[]; };
layout(set = 0, binding = 1) writeonly buffer Target { vec2 target[]; };

const float TAU = 6.283185307179586;

shared Real { float re[1024]; } real;
shared Imaginary { float im[1024]; } imaginary;

vec2 times(vec2 a, vec2 b) {
    return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

vec2 root(float turns) {
    return vec2(cos(-TAU * turns), sin(-TAU * turns));
}

void main() {
    uint local = gl_LocalInvocationIndex;
    uint start = gl_WorkGroupID.x * 1024;
    vec2 v[4];
    for (int i = 0; i < 4; i++) {
        v[i] = source[start + local + 256 * i];
    }

    for (uint done = 1; done < 1024; done *= 4) {
        uint within = local & (done - 1);
        vec2 twiddle = root(float(within) / float(4 * done));
        vec2 twiddle2 = times(twiddle, twiddle);
        v[1] = times(v[1], twiddle);
        v[2] = times(v[2], twiddle2);
        v[3] = times(v[3], times(twiddle2, twiddle));

        vec2 s02 = v[0] + v[2];
        vec2 d02 = v[0] - v[2];
        vec2 s13 = v[1] + v[3];
        vec2 d13 = vec2(v[1].y - v[3].y, v[3].x - v[1].x);

        uint to = 4 * (local - within) + within;
        vec2 w[4] = vec2[](s02 + s13, d02 + d13, s02 - s13, d02 - d13);
        for (int i = 0; i < 4; i++) {
            real.re[to + done * i] = w[i].x;
        }
        barrier();
        for (int i = 0; i < 4; i++) {
            v[i].x = real.re[local + 256 * i];
        }
        barrier();
        for (int i = 0; i < 4; i++) {
            imaginary.im[to + done * i] = w[i].y;
        }
        barrier();
        for (int i = 0; i < 4; i++) {
            v[i].y = imaginary.im[local + 256 * i];
        }
        barrier();
    }

    for (int i = 0; i < 4; i++) {
        target[start + local + 256 * i] = v[i];
    }
}
