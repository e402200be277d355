import Glibc
import Measurement

/// Why a file could not be read.
public struct FileReadError: Error, Sendable, Hashable, CustomStringConvertible {
  public enum Code: Sendable, Hashable {
    case missing
    case isDirectory
    case notRegular
    case permissionDenied
    case tooLarge(maximumBytes: Int)
    /// Others than the owner may read it; the permission bits.
    case exposed(mode: UInt32)
    case empty
    case system(errno: Int32)
  }

  public let code: Code
  public let path: String

  public var message: String {
    let file = "\"\(path.visiblePath)\""
    switch code {
    case .missing: return "there is no file \(file)"
    case .isDirectory: return "\(file) is a directory"
    case .notRegular: return "\(file) is not a regular file"
    case .permissionDenied: return "\(file) may not be read by this user"
    case .tooLarge(let maximum): return "\(file) is larger than \(maximum) bytes"
    case .exposed(let mode):
      return "\(file) holds a secret but others may read it (mode \(String(mode, radix: 8)))"
    case .empty: return "\(file) is empty"
    case .system(let number): return "\(file) cannot be read: \(String(cString: strerror(number)))"
    }
  }

  public var remedy: String {
    switch code {
    case .missing: "create it or correct the path (relative paths start at the configuration file)"
    case .isDirectory, .notRegular, .tooLarge: "name the file that is meant"
    case .permissionDenied: "give this user the right to read it"
    case .exposed: "run: chmod 600 \(EscapedText.make(path))"
    case .empty: "write the content into it"
    case .system: "check the file system"
    }
  }

  public var description: String { "\(message); \(remedy)" }
}
