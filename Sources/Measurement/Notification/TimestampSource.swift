/// Which stamp ended the service time.
public enum TimestampSource: Int, Sendable, Hashable, CaseIterable {
  /// The kernel's receive stamp of the packet that carried the answer.
  case kernel = 0
  /// Our own clock when libcurl handed over the answer's first header.
  case callback = 1

  public var name: String {
    switch self {
    case .kernel: "kernel"
    case .callback: "callback"
    }
  }
}

/// The HTTP version an answer came in.
public enum HTTPVersion: Int, Sendable, Hashable, CaseIterable {
  case http1 = 1
  case http2 = 2

  public var name: String {
    switch self {
    case .http1: "1.1"
    case .http2: "2"
    }
  }
}
