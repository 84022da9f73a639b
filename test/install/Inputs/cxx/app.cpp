#include "scaled.hpp"
#include <cstdio>

int main() {
  float x = 10, y = 0, again = 0;
  scaled_scaled_args args{};
  args.x = &x;
  args.y = &y;
  if (scaled_scaled(&args) != LATHE_OK)
    return 1;
  scaled::Module().scaled(x, again);
  if (again != y)
    return 2;
  std::printf("%g\n", y);
}
