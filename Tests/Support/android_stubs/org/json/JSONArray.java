package org.json;

public class JSONArray {
  public JSONArray() {}

  public JSONArray(String text) throws JSONException {}

  public JSONArray(java.util.Collection<?> values) {}

  public int length() {
    return 0;
  }

  public JSONArray put(Object value) {
    return this;
  }

  public JSONObject getJSONObject(int index) throws JSONException {
    return new JSONObject();
  }
}
