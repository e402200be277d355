import Configuration
import Fleet
import Foundation
import Measurement
import TestKit

// FleetBenchmark setup URL DATABASE     a fleet's database on a server of any version, Debian's 18.16 too, without users
//
// The rest of the cases is Python that starts real processes: Benchmarks/Fleet/run.

func setUp(_ url: String, _ database: String) throws {
  guard let components = URLComponents(string: url), let host = components.host, let port = components.port
  else {
    print("no URL with a port: \(url)")
    exit(64)
  }
  let fleet = FleetConfiguration(
    urls: [Endpoint(scheme: .http, host: host, port: port)], database: database,
    writer: .init(name: "default"), reader: .init(name: "default"))
  let setup = try FleetSetup(
    fleet, administrator: .init(name: "default"), cluster: nil, clock: SystemClock())
  print(try setup.run(makesUsers: false, translating: OldEngine.statement).engine)
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count == 3, arguments[0] == "setup" else {
  print("usage: FleetBenchmark setup URL DATABASE")
  exit(64)
}
try setUp(arguments[1], arguments[2])
