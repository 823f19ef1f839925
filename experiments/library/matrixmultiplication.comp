#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require

// C = A * B for n x n floats, n a multiple of 32, as the MI300A's matrix product divides the work: each invocation sums a block of 4 x 4
// as four vec4, a tile of A is staged through memory, and B is read from memory as vec4. There every workgroup stages through the same
// array, a race; here each has a slice of its own, so that the result is defined.
layout(local_size_x = 8, local_size_y = 8) in;

layout(set = 0, binding = 0) readonly buffer A { vec4 a[]; };
layout(set = 0, binding = 1) readonly buffer B { vec4 b[]; };
layout(set = 0, binding = 2) writeonly buffer C { vec4 c[]; };
layout(set = 0, binding = 3) workgroupcoherent buffer Scratch { vec4 scratch[]; };
layout(push_constant) uniform Push { uint n; };

// shareSlice lets the workgroup see what it staged: one compute unit's caches hold it, as for the plain loads that were measured.
void shareSlice() {
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer,
                   gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
}

void main() {
    uint lx = gl_LocalInvocationID.x;
    uint ly = gl_LocalInvocationID.y;
    uint pitch = n / 4;
    uint slice = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 256;
    uint row = gl_GlobalInvocationID.y * 4;
    uint column = gl_GlobalInvocationID.x;

    vec4 sum0 = vec4(0.0);
    vec4 sum1 = vec4(0.0);
    vec4 sum2 = vec4(0.0);
    vec4 sum3 = vec4(0.0);
    uint mine = slice + ly * 32;
    for (uint k = 0; k < pitch; k += 8) {
        uint fromA = row * pitch + k + lx;
        scratch[mine + lx] = a[fromA];
        scratch[mine + lx + 8] = a[fromA + pitch];
        scratch[mine + lx + 16] = a[fromA + 2 * pitch];
        scratch[mine + lx + 24] = a[fromA + 3 * pitch];
        shareSlice();

        for (uint j = 0; j < 8; j++) {
            vec4 a0 = scratch[mine + j];
            vec4 a1 = scratch[mine + j + 8];
            vec4 a2 = scratch[mine + j + 16];
            vec4 a3 = scratch[mine + j + 24];
            uint fromB = (k + j) * 4 * pitch + column;
            vec4 b0 = b[fromB];
            vec4 b1 = b[fromB + pitch];
            vec4 b2 = b[fromB + 2 * pitch];
            vec4 b3 = b[fromB + 3 * pitch];
            sum0 += a0.x * b0 + a0.y * b1 + a0.z * b2 + a0.w * b3;
            sum1 += a1.x * b0 + a1.y * b1 + a1.z * b2 + a1.w * b3;
            sum2 += a2.x * b0 + a2.y * b1 + a2.z * b2 + a2.w * b3;
            sum3 += a3.x * b0 + a3.y * b1 + a3.z * b2 + a3.w * b3;
        }
        shareSlice();
    }

    uint to = row * pitch + column;
    c[to] = sum0;
    c[to + pitch] = sum1;
    c[to + 2 * pitch] = sum2;
    c[to + 3 * pitch] = sum3;
}
