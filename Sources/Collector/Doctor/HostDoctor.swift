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
