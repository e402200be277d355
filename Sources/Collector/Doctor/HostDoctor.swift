import Analysis
import CLinux
import Configuration
import Glibc
import HTTPServer
import Measurement
import NIOCore
import NIOPosix

/// Checks this machine: its clock, and the receipt listener's address.
public enum HostDoctor {
  /// 2025-01-01: an earlier time is certainly wrong.
  private static let earliest = WallTime(seconds: 1_735_689_600)

  /// Checks the wall clock, which dates tokens and events; latencies do not depend on it.
  public static func clock(_ clock: any HostClock) -> DoctorFinding {
    let now = clock.wallNow()
    guard now >= earliest else {
      return DoctorFinding(
        .misconfigured, "host", "clock", "the time is \(now.rfc3339), which is wrong",
        remedy: "set it: timedatectl set-ntp true")
    }
    var error: Int64 = 0
    switch clinux_clock_is_synchronized(&error) {
    case 1:
      return DoctorFinding(.fine, "host", "clock", "synchronized, off by at most \(LatencyText.text(error))")
    case 0:
      return DoctorFinding(
        .note, "host", "clock", "the kernel does not report it as synchronized",
        remedy: "tokens carry its time: see timedatectl timesync-status or chronyc tracking")
    default:
      return DoctorFinding(.note, "host", "clock", "the kernel does not say whether it is synchronized")
    }
  }

  /// Checks when the certificates of the listeners are valid; one that is fine is not mentioned.
  public static func certificates(
    _ configuration: PushscopeConfiguration, _ clock: any HostClock
  ) -> [DoctorFinding] {
    let now = clock.wallNow()
    return configuration.listenerCertificates.compactMap { shown in
      guard let words = shown.condition.flatMap({ CertificateWords($0, at: now) }), let text = words.text
      else {
        return nil
      }
      return DoctorFinding(
        words.state == .endsSoon ? .note : .misconfigured, "host", "certificate", text,
        remedy: words.state == .notYetValid
          ? "is the clock right? Otherwise use another one: \(shown.path)"
          : "renew it: \(shown.path); the collector reads it again when the file changes")
    }
  }

  /// Checks that the receipt listener's certificate is usable and its address is free.
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

/// The result of one check of `pushscope doctor`: one line.
public struct DoctorFinding: Sendable, Hashable, CustomStringConvertible {
  /// How serious a finding of the check is.
  public enum Level: Sendable, Hashable {
    case fine
    /// Worth knowing, but not an error.
    case note
    /// Something on this machine must be fixed.
    case misconfigured
    /// The peer cannot be reached, or refuses the notification.
    case unreachable
  }

  public var level: Level
  /// The target's name, or what else was checked.
  public var subject: String
  /// The check: `key`, `dns`, `tls` and so on.
  public var step: String
  /// The result. It may quote the peer: escape it before it goes to a terminal.
  public var message: String
  /// What to do; may be empty.
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

  /// `fail  ios  tls  result; what to do`
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
