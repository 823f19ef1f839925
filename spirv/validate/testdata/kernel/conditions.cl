kernel void conditions(global int *a, int x, int y) {
  int i = get_global_id(0);
  bool p = x > 3 && (y < 2 || a[i] != 0);
  int r = p ? (x ? a[i] : y) : x && y;
  if (p || (r & 1)) r += 5; else if (r > 7 && x != y) r -= 2; else r *= 3;
  a[i] = r + (p != (r == 0));
}
