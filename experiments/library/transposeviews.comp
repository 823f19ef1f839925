#version 450
#extension GL_EXT_shared_memory_block : require

// Transposes n x n floats by tiles of 32 x 32, n a multiple of 32. Rows come in as vectors of four, columns go out as single
// words: two views of the same bytes of LDS. Vectors are swizzled by the row's number, so that a column lies in many banks.
layout(local_size_x = 256) in;

layout(set = 0, binding = 0) readonly buffer Source { vec4 source[]; };
layout(set = 0, binding = 1) writeonly buffer Target { float target[]; };
layout(push_constant) uniform Push { uint n; };

shared Vectors { vec4 rows[32 * 8]; } byVector;
shared Words { float words[32 * 32]; } byWord;

void main() {
    uvec2 corner = gl_WorkGroupID.xy * 32;
    uint row = gl_LocalInvocationIndex / 8;
    uint part = gl_LocalInvocationIndex % 8;
    byVector.rows[row * 8 + (part ^ (row & 7))] = source[((corner.y + row) * n + corner.x) / 4 + part];
    barrier();
    uint y = gl_LocalInvocationIndex % 32;
    for (uint x = gl_LocalInvocationIndex / 32; x < 32; x += 8) {
        uint at = y * 32 + ((x / 4) ^ (y & 7)) * 4 + x % 4;
        target[(corner.x + x) * n + corner.y + y] = byWord.words[at];
    }
}
