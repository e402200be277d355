import Collector
import Glibc
import Store

/// Whether a collector could write to the store and a dashboard read it.
enum StoreCheck {
  static func finding(path: String) -> DoctorFinding {
    do {
      let reader = try StoreReader.open(at: path)
      let runs = try reader.runs().count
      return DoctorFinding(.fine, "host", "store", "\(path) holds \(runs) run\(runs == 1 ? "" : "s")")
    } catch let error as StoreError where error.code == .missing {
      return missing(path)
    } catch let error as StoreError {
      return DoctorFinding(.misconfigured, "host", "store", error.detail, remedy: error.remedy)
    } catch {
      return DoctorFinding(.misconfigured, "host", "store", "\(path): \(error)")
    }
  }

  /// The nearest directory above that exists must be writable: the collector makes the rest.
  private static func missing(_ path: String) -> DoctorFinding {
    var directory = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    var name = directory.joined(separator: "/")
    while !name.isEmpty, !DefaultPath.exists(name) {
      directory = directory.dropLast()
      name = directory.joined(separator: "/")
    }
    if name.isEmpty { name = path.hasPrefix("/") ? "/" : "." }
    guard access(name, W_OK | X_OK) == 0 else {
      return DoctorFinding(
        .misconfigured, "host", "store", "\(path) is not there, and \(name) may not be written to",
        remedy: "name another file with --store, or give this user the right")
    }
    return DoctorFinding(.fine, "host", "store", "\(path) is not there yet; collecting makes it")
  }
}
