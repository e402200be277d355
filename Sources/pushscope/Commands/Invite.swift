import ArgumentParser
import Collector
import Configuration
import Formats
import Foundation
import Measurement
import Report
import Store
import Terminal

struct Invite: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Let a phone or a browser join as a device.",
    discussion: """
      Prints a URL and its QR code. Who opens it on a device and presses the button has the collector send Web Push notifications to \
      that device, under the name that is given here; latencies show at once, on the device and in the dashboard. The invitation is for \
      one device, once. The command waits until the device has joined and its first notification has arrived; an interrupt ends the \
      waiting, not the invitation.

      The configuration needs a section devices, and a collector must be running: docs/devices.md begins from nothing.

      Example: pushscope invite reception
      Example: pushscope invite my-browser --local
      """)

  @Argument(help: ArgumentHelp("The device's name, which its target gets too.", valueName: "name"))
  var name: String

  @Option(
    help: ArgumentHelp("How long the invitation is valid (default: 1h).", valueName: "duration"),
    transform: DurationArgument.parse)
  var expires: DurationArgument?

  @Flag(help: "For a browser on this host, through devices.listen.")
  var local = false

  @Flag(help: "Print the URL alone, and do not wait.")
  var url = false

  @Flag(help: "Draw the QR code with # instead of blocks.")
  var ascii = false

  @OptionGroup var configurationFile: ConfigurationOption
  @OptionGroup var store: StoreOption

  /// How often it is looked whether the device has joined.
  private static let interval = 0.25

  func validate() throws {
    guard DevicesConfiguration.isName(name) else {
      throw ValidationError(
        "\(EscapedText.make(name)) is not a device's name; \(DevicesConfiguration.nameRule)")
    }
    try expires?.checkLength(as: "--expires")
    if let expires, expires.duration > DeviceInvitation.longest {
      throw ValidationError(
        "--expires is too long; give at most \(DurationText.format(DeviceInvitation.longest))")
    }
  }

  func run() throws {
    let configuration = try PushscopeConfiguration.load(
      path: configurationFile.path(), environment: ProcessEnvironment.all)
    let place = try InvitationPlace.of(configuration, local: local)
    let path = try store.path(for: .changing)
    let invitation = try IssuedInvitation.issue(
      for: name, at: place, store: path, length: expires?.duration ?? .seconds(3600))
    if let problem = place.problem(clock: SystemClock()) {
      StandardError.write("\(problem.message), so that a device cannot open the page: \(problem.remedy)")
    }
    let reader = try StoreOption.reader(at: path)
    defer { reader.close() }
    if try reader.devices().contains(where: { $0.name == name && $0.state != .left }) {
      StandardError.write("there is a device named \(name): who uses the invitation takes its place")
    }
    try show(place, invitation.url)
    if !url { try wait(reader, for: invitation) }
  }

  private func show(_ place: InvitationPlace, _ address: String) throws {
    guard !url else { return try StandardOutput.writeLine(address) }
    if place.isLocal {
      return try StandardOutput.writeLine("open this in a browser on this host:\n\(address)")
    }
    let columns = TerminalSize.columnsAndRows(of: STDOUT_FILENO)?.columns ?? .max
    guard let code = QRCode(address), code.columns * (ascii ? 2 : 1) <= columns else {
      return try StandardOutput.writeLine("open this on the device:\n\(address)")
    }
    try StandardOutput.writeLine("scan this with the phone's camera, or open\n\(address)")
    // White on black, whatever the terminal's colors are.
    let isColored = isatty(STDOUT_FILENO) == 1
    for line in ascii ? code.ascii : code.halfBlocks {
      try StandardOutput.writeLine(isColored ? "\u{1B}[97;40m\(line)\u{1B}[0m" : line)
    }
  }

  // MARK: Waiting

  private func wait(_ reader: StoreReader, for invitation: IssuedInvitation) throws {
    StandardError.write("waiting for \(name) …")
    let device = try poll(
      reader, until: invitation.expiresAt, "the invitation has expired, and no device has used it"
    ) {
      try reader.devices().first { $0.name == name && $0.joinedAt >= invitation.begun && $0.state != .left }
    }
    let platform = device.platform.isEmpty ? "a browser" : EscapedText.make(device.platform)
    try StandardOutput.writeLine("joined: \(platform), through \(EscapedText.make(device.service))")
    let limit = SystemClock().wallNow() + .minutes(5)
    let point = try poll(
      reader, until: limit,
      "no notification has arrived within 5 min; pushscope doctor says what may be wrong"
    ) {
      try firstReceived(reader, since: device.joinedAt)
    }
    let error = point.deliveryError.map { " (± \(LatencyText.text($0)))" } ?? ""
    try StandardOutput.writeLine(
      "first notification: received after \(LatencyText.text(point.deliveryLatency ?? 0))\(error)")
  }

  private func firstReceived(_ reader: StoreReader, since joined: WallTime) throws -> SamplePoint? {
    guard let run = try reader.latestRun() else { return nil }
    let ids = try reader.targets(of: run.id).filter { $0.name == name }.map(\.id)
    return try reader.lastPoints(of: ids, limit: 100).points.lazy.map(\.point)
      .first { $0.plannedAt >= joined.microseconds && $0.deliveryLatency != nil }
  }

  private func poll<Value>(
    _ reader: StoreReader, until end: WallTime, _ otherwise: String, _ found: () throws -> Value?
  ) throws -> Value {
    while SystemClock().wallNow() < end {
      if let value = try found() { return value }
      guard try reader.collector().isRunning else {
        throw CommandFailure(
          "the collector has ended; the invitation is valid when it runs again", exitStatus: .unavailable)
      }
      Thread.sleep(forTimeInterval: Self.interval)
    }
    throw CommandFailure(otherwise, exitStatus: .failed)
  }
}
