package android.net;

public class ConnectivityManager {
  public Network getActiveNetwork() {
    return null;
  }

  public NetworkCapabilities getNetworkCapabilities(Network network) {
    return null;
  }
}
