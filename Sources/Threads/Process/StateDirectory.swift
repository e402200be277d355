/// Where this program keeps what it remembers of its use.
public enum StateDirectory {
  /// `$XDG_STATE_HOME/pushscope`, by default `~/.local/state/pushscope`; `nil` without a home.
  public static func path(environment: [String: String]) -> String? {
    if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state + "/pushscope" }
    guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
    return home + "/.local/state/pushscope"
  }
}
