#include <omp.h>
#include <math.h>
#define ceild(n,d)  (((n)<0) ? -((-(n))/(d)) : ((n)+(d)-1)/(d))
#define floord(n,d) (((n)<0) ? -((-(n)+(d)-1)/(d)) : (n)/(d))
#define max(x,y)    ((x) > (y)? (x) : (y))
#define min(x,y)    ((x) < (y)? (x) : (y))

// Skewed and tiled as Pluto writes it.
void seidel(int T, int N, double a[N]) {
  int t1, t2, t3, t4;
  int lb, ub, lbp, ubp, lb2, ub2;
  register int lbv, ubv;
  if ((N >= 3) && (T >= 1)) {
    for (t1=0;t1<=floord(T-1,32);t1++) {
      lbp=2*t1;
      ubp=min(floord(2*T+N-4,32),floord(64*t1+N+60,32));
#pragma omp parallel for private(lbv,ubv,t3,t4)
      for (t2=lbp;t2<=ubp;t2++) {
        for (t3=max(32*t1,ceild(32*t2-N+2,2));t3<=min(min(T-1,32*t1+31),floord(32*t2+30,2));t3++) {
          for (t4=max(32*t2,2*t3+1);t4<=min(32*t2+31,2*t3+N-2);t4++) {
            a[(-2*t3+t4)] = (a[(-2*t3+t4)-1] + a[(-2*t3+t4)] + a[(-2*t3+t4)+1]) / 3.0;;
          }
        }
      }
    }
  }
}
