package android.app;

public class Notification {
  public static class Builder {
    public Builder(android.content.Context context, String channelId) {}

    public Builder setSmallIcon(int icon) {
      return this;
    }

    public Builder setContentTitle(CharSequence title) {
      return this;
    }

    public Builder setAutoCancel(boolean autoCancel) {
      return this;
    }

    public Builder setContentIntent(PendingIntent intent) {
      return this;
    }

    public Notification build() {
      return new Notification();
    }
  }
}
