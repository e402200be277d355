package android.app;

public class KeyguardManager {
  public boolean isKeyguardLocked() {
    return false;
  }
}
