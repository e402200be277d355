package android.os;

public final class PowerManager {
  public boolean isDeviceIdleMode() {
    return false;
  }

  public boolean isPowerSaveMode() {
    return false;
  }
}
