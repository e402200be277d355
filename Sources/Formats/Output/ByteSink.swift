/// Where finished bytes go, in large pieces.
public protocol ByteSink: AnyObject {
  /// Takes all the bytes, or throws.
  func write(_ bytes: UnsafeRawBufferPointer) throws(OutputError)
}

extension ByteSink {
  /// Writes a text that is at hand.
  public func write(_ text: String) throws(OutputError) {
    // The error leaves the closure in a variable: handing on a typed throw through `withUTF8` crashes Swift 6.3.
    var failure: OutputError?
    var text = text
    text.withUTF8 { bytes in
      do throws(OutputError) { try write(UnsafeRawBufferPointer(bytes)) } catch { failure = error }
    }
    if let failure { throw failure }
  }
}
