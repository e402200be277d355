package com.google.firebase.messaging;

public final class RemoteMessage {
  public static final int PRIORITY_UNKNOWN = 0;
  public static final int PRIORITY_HIGH = 1;
  public static final int PRIORITY_NORMAL = 2;

  public java.util.Map<String, String> getData() {
    return new java.util.HashMap<>();
  }

  public int getPriority() {
    return PRIORITY_UNKNOWN;
  }

  public int getOriginalPriority() {
    return PRIORITY_UNKNOWN;
  }

  public long getSentTime() {
    return 0;
  }
}
