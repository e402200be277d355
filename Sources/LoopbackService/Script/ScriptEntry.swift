/// What the service did, so that a collector's figures can be held against it.
public enum ScriptEntry: Sendable, Equatable {
  case request(ScriptedRequest)
  case delivery(ScriptedDelivery)
  case reception(ScriptedReception)
}
