import Store

/// Something that is only done when people say so.
struct Question: Sendable, Equatable {
  let command: ControlCommand
  let title: String
  /// Sentences.
  let body: [String]
}
