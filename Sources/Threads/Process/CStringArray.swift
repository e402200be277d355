import Glibc

/// Texts as exec takes them: pointers to zero-terminated bytes, with a null pointer at the end.
public enum CStringArray {
  /// - Returns: what `body` returns, or an errno value.
  public static func with(
    _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Int32
  ) -> Int32 {
    var pointers: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeBufferPointer { $0.baseAddress.map(body) ?? EINVAL }
  }
}
