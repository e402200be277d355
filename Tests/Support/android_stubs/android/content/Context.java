package android.content;

public abstract class Context {
  public static final int MODE_PRIVATE = 0;

  public SharedPreferences getSharedPreferences(String name, int mode) {
    return null;
  }

  public <T> T getSystemService(Class<T> type) {
    return null;
  }
}
