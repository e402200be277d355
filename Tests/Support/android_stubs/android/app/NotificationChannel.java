package android.app;

public final class NotificationChannel {
  public NotificationChannel(String id, CharSequence name, int importance) {}

  public int getImportance() {
    return NotificationManager.IMPORTANCE_DEFAULT;
  }
}
