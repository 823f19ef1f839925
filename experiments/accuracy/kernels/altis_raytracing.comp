#version 450
// A ray a pixel against all spheres, in memory; the nearest is shaded.
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) readonly buffer S { float spheres[]; };
layout(set = 0, binding = 1) writeonly buffer I { uint image[]; };
layout(push_constant) uniform P { uint width; };
const float height = 512.0;
void main() {
    uint i = gl_GlobalInvocationID.x, px = i % width, py = i / width;
    vec3 origin = vec3(0.0, 0.0, 5.0);
    float u = (2.0 * (float(px) + 0.5) / float(width) - 1.0) * float(width) / height;
    float v = 1.0 - 2.0 * (float(py) + 0.5) / height;
    vec3 direction = normalize(vec3(u, v, -1.0) - origin);
    float nearest = 1e30;
    int hit = -1;
    for (int s = 0; s < 64; s++) {
        vec3 to = origin - vec3(spheres[7 * s], spheres[7 * s + 1], spheres[7 * s + 2]);
        float radius = spheres[7 * s + 3];
        float a = dot(direction, direction), b = 2.0 * dot(to, direction), c = dot(to, to) - radius * radius;
        float d = b * b - 4.0 * a * c;
        if (d >= 0.0) {
            float root = sqrt(d), t0 = (-b - root) / (2.0 * a), t1 = (-b + root) / (2.0 * a);
            float t = t0 > 0.001 ? t0 : t1;
            if (t > 0.001 && t < nearest) {
                nearest = t;
                hit = s;
            }
        }
    }
    vec3 colour = vec3(0.05, 0.05, 0.1);
    if (hit >= 0) {
        vec3 at = origin + nearest * direction;
        vec3 normal = (at - vec3(spheres[7 * hit], spheres[7 * hit + 1], spheres[7 * hit + 2])) / spheres[7 * hit + 3];
        vec3 light = vec3(0.577);
        float diffuse = max(dot(normal, light), 0.0);
        float specular = max(dot(reflect(-light, normal), -direction), 0.0);
        specular *= specular;
        specular *= specular;
        specular *= specular;
        vec3 own = vec3(spheres[7 * hit + 4], spheres[7 * hit + 5], spheres[7 * hit + 6]);
        colour = clamp(own * (0.15 + 0.7 * diffuse) + 0.3 * specular, 0.0, 1.0);
    }
    uvec3 c = uvec3(colour * 255.0);
    image[i] = c.x | c.y << 8 | c.z << 16 | 0xFF000000u;
}
