// swift-tools-version: 6.1
import PackageDescription

/// Measurements, kept out of the product's own package so that nobody who uses it builds them.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

func room(_ name: String) -> Target.Dependency { .product(name: name, package: "pushscope") }

let package = Package(
  name: "benchmarks",
  dependencies: [.package(name: "pushscope", path: "..")],
  targets: [
    .target(name: "AllocationCounter", path: "Solver/AllocationCounter"),
    .target(name: "CursesPeer", path: "Terminal/Peer"),
    .target(name: "StorePeer", path: "Store/Peer", linkerSettings: [.linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "SolverBenchmark", dependencies: ["AllocationCounter", room("ConstraintAnimation")],
      path: "Solver/Driver", swiftSettings: strict),
    .executableTarget(
      name: "FrameBenchmark", dependencies: ["AllocationCounter", room("ConstraintAnimation")],
      path: "Frames/Driver", swiftSettings: strict),
    .executableTarget(
      name: "TerminalBenchmark",
      dependencies: ["CursesPeer", room("ConstraintAnimation"), room("Terminal")], path: "Terminal/Driver",
      swiftSettings: strict),
    .executableTarget(
      name: "DashboardBenchmark", dependencies: [room("Measurement"), room("Store")],
      path: "Dashboard/Driver",
      swiftSettings: strict),
    .executableTarget(
      name: "StoreBenchmark", dependencies: ["StorePeer", room("Measurement"), room("Store")],
      path: "Store/Driver", swiftSettings: strict),
    .executableTarget(
      name: "ExportBenchmark",
      dependencies: [
        "AllocationCounter", room("Formats"), room("Measurement"), room("Report"), room("Store"),
      ],
      path: "Export/Driver", swiftSettings: strict),
    .executableTarget(
      name: "CoverageBenchmark", dependencies: [room("Measurement")], path: "Accuracy/Driver",
      swiftSettings: strict),
    .executableTarget(
      name: "TransportBenchmark", dependencies: [room("Collector"), room("Measurement"), room("Providers")],
      path: "Transport/Driver", swiftSettings: strict),
  ]
)
