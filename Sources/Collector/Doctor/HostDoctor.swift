import CLinux
import Configuration
import Glibc
import HTTPServer
import Measurement
import NIOCore
import NIOPosix

/// Looks at this machine: its clock, and the address where receipts are to be heard.
public enum HostDoctor {
  /// 2025-01-01: no host that builds this is earlier.
  private static let earliest = WallTime(microseconds: 1_735_689_600_000_000)

  /// Tokens carry this clock's time, and people read it; latencies do not depend on it.
  public static func clock(_ clock: any HostClock) -> DoctorFinding {
    let now = clock.wallNow()
    guard now >= earliest else {
      return DoctorFinding(
        .misconfigured, "host", "clock", "the time is \(now.rfc3339), which is long past",
        remedy: "set it: timedatectl set-ntp true")
    }
    var error: Int64 = 0
    switch clinux_clock_is_synchronized(&error) {
    case 1:
      return DoctorFinding(.fine, "host", "clock", "synchronized, off by at most \(max(1, error / 1000)) ms")
    case 0:
      return DoctorFinding(
        .note, "host", "clock", "the kernel does not report it as synchronized",
        remedy: "tokens carry its time: see timedatectl timesync-status or chronyc tracking")
    default:
      return DoctorFinding(.note, "host", "clock", "the kernel does not say whether it is synchronized")
    }
  }

  /// Whether the receipt listener's certificate can be used and its address can be had.
  public static func listener(_ receipts: ReceiptsConfiguration) async -> DoctorFinding {
    let address = receipts.listen
    do {
      _ = try ServerIdentity(certificateFile: receipts.certificateFile, keyFile: receipts.keyFile.path)
    } catch {
      return DoctorFinding(.misconfigured, "receipts", "listen", "\(error)")
    }
    do {
      let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .bind(host: address.host, port: address.port).get()
      try? await channel.close()
      return DoctorFinding(.fine, "receipts", "listen", "\(address) is free")
    } catch let error as IOError where error.errnoCode == EADDRINUSE {
      return DoctorFinding(
        .note, "receipts", "listen", "\(address) is in use",
        remedy: "expected while a collector is running; otherwise choose another port")
    } catch {
      return DoctorFinding(
        .misconfigured, "receipts", "listen", "\(address) cannot be used: \(error)",
        remedy: "choose an address of this machine and a port that this user may listen on")
    }
  }
}

/// What one check of `pushscope doctor` came to: a line.
public struct DoctorFinding: Sendable, Hashable, CustomStringConvertible {
  public enum Level: Sendable, Hashable {
    case fine
    /// Worth knowing, and no reason to stop.
    case note
    /// Something on this machine has to be put right.
    case misconfigured
    /// The other side cannot be reached, or does not take what it is sent.
    case unreachable
  }

  public var level: Level
  /// The target's name, or the part of the program.
  public var subject: String
  /// What was looked at: `key`, `dns`, `tls` and so on.
  public var step: String
  /// What was found. It may quote the other side: make it visible before it goes to a terminal.
  public var message: String
  /// What to do; empty when there is nothing.
  public var remedy: String

  public init(
    _ level: Level, _ subject: String, _ step: String, _ message: String, remedy: String = ""
  ) {
    self.level = level
    self.subject = subject
    self.step = step
    self.message = message
    self.remedy = remedy
  }

  /// `fail  ios  tls  what was found; what to do`
  public var description: String {
    let word =
      switch level {
      case .fine: "ok  "
      case .note: "note"
      case .misconfigured, .unreachable: "fail"
      }
    return "\(word)  \(subject)  \(step)  \(message)" + (remedy.isEmpty ? "" : "; \(remedy)")
  }
}
