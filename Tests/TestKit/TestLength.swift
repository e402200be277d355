import Foundation

/// `make test` runs a short form of tests that take minutes; `make test-long` runs them in full.
public enum TestLength {
  public static let isLong = ProcessInfo.processInfo.environment["PUSHSCOPE_LONG_TESTS"] == "1"
}
