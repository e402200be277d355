import Collector
import Glibc
import Measurement
import Store

/// Whether a collector could write to the store and a dashboard read it.
enum StoreCheck {
  /// - Parameter path: throws ``CommandFailure`` where no file is named and there is no home directory.
  static func finding(path: () throws(CommandFailure) -> String) -> DoctorFinding {
    do throws(CommandFailure) {
      return finding(path: try path())
    } catch {
      return DoctorFinding(.misconfigured, "host", "store", error.message)
    }
  }

  private static func finding(path: String) -> DoctorFinding {
    do {
      let reader = try StoreReader.open(at: path)
      let runs = try reader.runs().count
      return DoctorFinding(.fine, "host", "store", "\(path) holds \(CountText.text(runs, "run"))")
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
        .misconfigured, "host", "store", "\(path) does not exist, and this user cannot write to \(name)",
        remedy: "name another file with --store, or give this user write access")
    }
    return DoctorFinding(.fine, "host", "store", "\(path) does not exist yet; collect creates it")
  }
}
