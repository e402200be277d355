extension String {
  /// The text with a small first letter, to go on in a sentence.
  public var loweredFirst: String { prefix(1).lowercased() + dropFirst() }

  /// The text with a capital first letter, to begin a sentence.
  public var raisedFirst: String { prefix(1).uppercased() + dropFirst() }
}
