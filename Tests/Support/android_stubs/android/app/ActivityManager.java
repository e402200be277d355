package android.app;

public class ActivityManager {
  public static class RunningAppProcessInfo {
    public static final int IMPORTANCE_FOREGROUND = 100;

    public int importance;
  }

  public static void getMyMemoryState(RunningAppProcessInfo state) {}
}
