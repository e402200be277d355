package android.app;

public class NotificationManager {
  public static final int IMPORTANCE_NONE = 0;
  public static final int IMPORTANCE_DEFAULT = 3;

  public boolean areNotificationsEnabled() {
    return true;
  }

  public void createNotificationChannel(NotificationChannel channel) {}

  public NotificationChannel getNotificationChannel(String channelId) {
    return null;
  }

  public void notify(int id, Notification notification) {}
}
