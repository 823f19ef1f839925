#version 450
#extension GL_EXT_nonuniform_qualifier : require
// Local arrays indexed dynamically, copies of structures, arrays of buffers.
layout(local_size_x = 16) in;
struct Item { vec3 p; uint k[4]; bool odd; };
layout(set = 0, binding = 0) readonly buffer In { uint data[]; } inputs[3];
layout(set = 0, binding = 1) buffer Out { uint result[]; };
layout(set = 0, binding = 2) readonly buffer More { uint data[]; } more[];
const uint table[8] = uint[](3, 1, 4, 1, 5, 9, 2, 6);
shared Item items[16];
Item globals[2];
void main() {
    uint i = gl_LocalInvocationIndex;
    Item it;
    it.p = vec3(i, i * 2, i * 3);
    for (uint j = 0; j < 4; j++) it.k[j] = table[(i + j) & 7];
    it.odd = (i & 1) != 0;
    items[15 - i] = it;
    barrier();
    globals[0] = items[i];
    globals[1] = it;
    uint pick = i & 1;
    Item g = globals[pick];
    g.p[i % 3] += 0.5;
    result[i * 8 + 0] = uint(g.p.x * 2.0);
    result[i * 8 + 1] = uint(g.p.y * 2.0);
    result[i * 8 + 2] = uint(g.p.z * 2.0);
    result[i * 8 + 3] = g.k[i & 3] + uint(g.odd) * 100;
    result[i * 8 + 4] = inputs[nonuniformEXT(i % 3)].data[i];
    result[i * 8 + 5] = inputs[2].data.length() + inputs[i % 3].data.length();
    result[i * 8 + 6] = more[nonuniformEXT(i & 1)].data[1];
    result[i * 8 + 7] = inputs[1].data[1000000 + i];
}
