package android;

public final class R {
  public static final class drawable {
    public static final int ic_dialog_info = 17301659;
  }
}
