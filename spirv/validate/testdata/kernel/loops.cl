kernel void loops(global int *a, int n) {
  int i = get_global_id(0), s = 0;
  for (int j = 0; j < n; j++) {
    for (int k = j; k < n; k++) {
      if (a[k] == i) goto out;
      if (a[k] < 0) { s += 2; continue; }
      if (a[k] > 1000) break;
      s += k;
    }
    do { s ^= j; if (s & 4) return; } while (s & 1);
  }
out:
  a[i] = s;
}
