kernel void switches(global int *a, ulong key) {
  size_t i = get_global_id(0);
  int r = a[i];
  switch (r % 9) {
  case 0: r += 3; break;
  case 1: r *= 5; /* falls through */
  case 2: r -= 7; break;
  case 5: if (r > 100) { r = 1; break; } r = 2; break;
  default: r = -r;
  }
  switch (key) { case 0x100000000ul: r++; break; case 3: r--; break; }
  switch ((char)r) { case -1: r ^= 1; break; case 7: r ^= 2; }
  a[i] = r;
}
