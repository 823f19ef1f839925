kernel void arrays(global int *a, int n) {
  int list[16];
  float2 points[3] = {{1, 2}, {3, 4}, {5, 6}};
  for (int i = 0; i < 16; i++) list[i] = a[i] * i;
  for (int i = 0; i < n; i++) { list[(i * 7) & 15] ^= list[i & 15]; if (list[i & 15] == 0) break; if (i & 1) continue; list[0]++; }
  private int *p = list + (n & 15);
  *p += 3;
  a[get_global_id(0)] = list[get_local_id(0) & 15] + (int)points[n % 3].y;
}
