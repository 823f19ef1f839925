#version 450
// GLSL.std.450, and the integer functions that become core operations.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer In { float f[8]; uint u[8]; };
layout(set = 0, binding = 1) buffer Out { uint result[]; };
uint n = 0;
void put(uint v) { result[n++] = v; }
void put(float v) { result[n++] = floatBitsToUint(v); }
void put(int v) { result[n++] = uint(v); }
void main() {
    float whole; int e; uint c, lo; int shi, slo;
    put(modf(f[0], whole)); put(whole);
    put(frexp(f[1], e)); put(e);
    put(ldexp(f[1], 3));
    put(packHalf2x16(vec2(f[0], f[1])));
    put(unpackHalf2x16(u[0]).y);
    put(packUnorm4x8(vec4(0.0, 0.5, 1.0, 2.0)));
    put(packSnorm2x16(vec2(-1.0, 0.25)));
    put(unpackUnorm4x8(u[0]).z);
    put(unpackSnorm4x8(u[0]).w);
    put(findLSB(u[1])); put(findMSB(u[1])); put(findMSB(int(~u[1])));
    put(bitCount(u[0])); put(bitfieldReverse(u[1]));
    put(bitfieldExtract(u[0], 4, 8)); put(bitfieldExtract(int(u[0]), 24, 8));
    put(bitfieldInsert(u[0], u[1], 8, 16));
    put(uaddCarry(u[0], u[2], c)); put(c);
    put(usubBorrow(u[1], u[0], c)); put(c);
    umulExtended(u[0], u[2], c, lo); put(c); put(lo);
    imulExtended(int(u[0]), int(u[2]), shi, slo); put(shi); put(slo);
    put(length(vec3(f[2], f[3], 0.0)));
    put(distance(vec2(f[2], 0.0), vec2(0.0, f[3])));
    put(dot(vec3(1, 2, 3), vec3(f[2], f[3], 1.0)));
    put(cross(vec3(1, 0, 0), vec3(0, f[2], 0)).z);
    put(normalize(vec2(f[2], f[3])).x);
    put(reflect(vec2(1, -1), vec2(0, 1)).y);
    put(refract(vec2(1, 0), vec2(-1, 0), 0.5).x);
    put(faceforward(vec2(1, 2), vec2(f[2], 0), vec2(1, 0)).y);
    put(mix(f[2], f[3], 0.25)); put(step(f[2], f[3])); put(smoothstep(0.0, 4.0, f[2]));
    put(clamp(f[3], 0.0, 1.0)); put(clamp(int(u[0]), -5, 5)); put(sign(-f[2])); put(fract(f[0]));
    put(mod(f[0], 2.0)); put(mod(-f[0], 2.0)); put(roundEven(2.5)); put(round(f[4]));
    put(inversesqrt(f[3])); put(degrees(f[4])); put(fma(f[2], f[3], f[4]));
    put(-7 % int(u[3])); put(-7 / int(u[3])); put(u[0] % u[3]);
    put(isnan(f[5]) ? 1u : 0u); put(isinf(f[6]) ? 1u : 0u);
    put(min(f[5], 1.0)); put(abs(int(u[0])));
    put(uint(any(lessThan(vec2(f[2], f[3]), vec2(0, 9)))) + 2 * uint(all(lessThan(vec2(f[2], f[3]), vec2(0, 9)))));
}
