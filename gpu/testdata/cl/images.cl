// Images and samplers.
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t repeated = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;

kernel void copied(read_only image2d_t from, write_only image2d_t to) {
    const int2 p = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(to, p, read_imagef(from, nearest, p).wzyx + 1.0f);
}

kernel void sampled(read_only image2d_t from, global float4 *out, global int *sizes) {
    const int x = get_global_id(0), y = get_global_id(1);
    const float2 p = (float2)((x + 0.5f) / 8, (y + 0.5f) / 4);
    out[y * 8 + x] = read_imagef(from, repeated, p + (float2)(0.5f, -0.25f)) + read_imagef(from, nearest, (float2)(x - 1, y + 0.5f));
    sizes[0] = get_image_width(from);
    sizes[1] = get_image_height(from);
}

kernel void integers(read_only image2d_t from, write_only image2d_t to) {
    const int2 p = (int2)(get_global_id(0), get_global_id(1));
    write_imageui(to, p, (read_imageui(from, p) & 63u) * 3);
}
