package android.os;

public class Build {
  public static class VERSION {
    public static final int SDK_INT = Integer.getInteger("sdk", 35);
    public static final String RELEASE = System.getProperty("release", "15");
  }

  public static class VERSION_CODES {
    public static final int P = 28;
  }
}
