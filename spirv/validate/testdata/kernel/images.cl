constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
kernel void images(read_only image2d_t in, write_only image2d_t out, sampler_t t, read_only image3d_t volume, read_only image1d_buffer_t buf) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  float4 x = read_imagef(in, s, p) + read_imagef(in, t, convert_float2(p)) + read_imagef(volume, s, (int4)(p, 0, 0)) + read_imagef(buf, p.x);
  int2 d = get_image_dim(in);
  if (p.x < d.x && p.y < get_image_height(out) && get_image_channel_order(in) != 0) write_imagef(out, p, x);
}
