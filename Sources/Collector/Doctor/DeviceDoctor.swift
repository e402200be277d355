import Configuration
import Glibc
import Measurement

/// Looks at what devices need to join and to be sent to: the directory with its keys, and the place where they open the page.
public enum DeviceDoctor {
  /// Nothing is written.
  /// - Parameters:
  ///   - store: path of the store, beside which the directory is by default.
  /// - Returns: nothing where no devices are configured.
  public static func findings(
    _ configuration: PushscopeConfiguration, store: String, clock: any HostClock
  ) -> [DoctorFinding] {
    guard let devices = configuration.devices else { return [] }
    return [directory(DeviceDirectory(devices, store: store)), place(configuration, clock)]
  }

  private static func directory(_ directory: DeviceDirectory) -> DoctorFinding {
    let place = "\"\(directory.path.visiblePath)\""
    var status = stat()
    guard stat(directory.path, &status) == 0 else {
      return errno == ENOENT
        ? DoctorFinding(.fine, "devices", "directory", "\(place) is made by the first pushscope collect")
        : DoctorFinding(
          .misconfigured, "devices", "directory", "\(place): \(String(cString: strerror(errno)))",
          remedy: "run doctor as the collector's user")
    }
    guard status.st_mode & 0o077 == 0 else {
      return DoctorFinding(
        .misconfigured, "devices", "directory", "\(place) can be read by others",
        remedy: "run: chmod 700 \(EscapedText.make(directory.path))")
    }
    do {
      let content = try directory.content()
      _ = try directory.applicationServerKey()
      if let problem = content.problems.first {
        return DoctorFinding(.misconfigured, "devices", "directory", problem)
      }
      return DoctorFinding(
        .fine, "devices", "directory",
        "\(place) has the key and \(CountText.text(content.devices.count, "device"))")
    } catch {
      return DoctorFinding(.misconfigured, "devices", "directory", "\(error)")
    }
  }

  private static func place(_ configuration: PushscopeConfiguration, _ clock: any HostClock) -> DoctorFinding
  {
    do {
      let place = try InvitationPlace.of(configuration, local: false)
      guard let problem = place.problem(clock: clock) else {
        return DoctorFinding(
          .fine, "devices", "page", "\(place.origin)\(DevicePage.path) can be opened from here")
      }
      return DoctorFinding(.note, "devices", "page", problem.message, remedy: problem.remedy)
    } catch {
      return DoctorFinding(.misconfigured, "devices", "page", "\(error)")
    }
  }
}
