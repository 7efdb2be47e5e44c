#include <math.h>
#define ceild(n,d)  ceil(((double)(n))/((double)(d)))
#define floord(n,d) floor(((double)(n))/((double)(d)))
#define max(x,y)    ((x) > (y)? (x) : (y))
#define min(x,y)    ((x) < (y)? (x) : (y))

void scale(int N, float x[N]) {
  int t1, t2;
  for (t1=0;t1<=floord(N-1,32);t1++) {
    for (t2=max(0,ceild(64*t1,2));t2<=min(N-1,32*t1+31);t2++) {
      x[t2] = x[t2] * 2.0f;
    }
  }
}
