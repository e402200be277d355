package org.json;

public class JSONObject {
  public JSONObject() {}

  public JSONObject(String text) throws JSONException {}

  public JSONObject put(String name, Object value) throws JSONException {
    return this;
  }

  public JSONObject put(String name, boolean value) throws JSONException {
    return this;
  }

  public JSONObject put(String name, long value) throws JSONException {
    return this;
  }

  public long getLong(String name) throws JSONException {
    return 0;
  }
}
