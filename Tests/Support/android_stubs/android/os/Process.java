package android.os;

public class Process {
  public static long getStartElapsedRealtime() {
    return 0;
  }
}
