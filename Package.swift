// swift-tools-version: 6.2
import PackageDescription

/// One target a room; a room imports rooms on lower floors only (docs/architecture.md).
let strict: [SwiftSetting] = [
  // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
  .enableUpcomingFeature("ExistentialAny"),
  // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// Statistics, rows and cells are what tests compute most: optimized in debug builds, too, with their assertions.
let optimized = strict + [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]

/// What runs once at a start or a few times a minute: not optimized in release builds, where it compiles in a quarter of the time.
let unoptimized =
  strict + [.unsafeFlags(["-Onone", "-assert-config", "Release"], .when(configuration: .release))]

let package = Package(
  name: "pushscope",
  products: [
    .executable(name: "pushscope", targets: ["pushscope"]),
    .executable(name: "gallery", targets: ["gallery"]),
    .library(name: "ConstraintAnimation", targets: ["ConstraintAnimation"]),
    .library(name: "ConstraintAnimationTestKit", targets: ["ConstraintAnimationTestKit"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections.git", exact: "1.6.0"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-http2", exact: "1.46.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", exact: "0.2.0"),
    .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
  ],
  targets: [
    // Floor 0: C shims.
    .target(name: "CCurl", linkerSettings: [.linkedLibrary("curl")]),
    .target(name: "CLinux"),
    .target(name: "CNcurses"),
    .target(name: "CNghttp2", linkerSettings: [.linkedLibrary("nghttp2")]),
    .target(name: "CQrencode", linkerSettings: [.linkedLibrary("qrencode")]),
    .target(name: "CZlib", linkerSettings: [.linkedLibrary("z")]),
    .target(name: "COpenSSL", linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),

    // Floor 1: words and arithmetic; threads and how they wait; keys and certificates; the animation core.
    .target(
      name: "Measurement", dependencies: [.product(name: "Histogram", package: "hdrhistogram-swift")],
      swiftSettings: optimized),
    .target(name: "Threads", dependencies: ["CLinux"], swiftSettings: strict),
    .target(name: "Cryptography", dependencies: ["COpenSSL"], swiftSettings: strict),
    // A product of its own: others could not depend on a target with flags of this kind.
    .target(name: "ConstraintAnimation", swiftSettings: strict),
    .target(
      name: "ConstraintAnimationTestKit", dependencies: ["ConstraintAnimation"], swiftSettings: strict),

    // Floor 2: one concern each.
    .target(
      name: "Store",
      dependencies: [
        "Measurement",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ], swiftSettings: optimized),
    .target(name: "Providers", dependencies: ["Cryptography", "Measurement"], swiftSettings: strict),
    .target(
      name: "Terminal", dependencies: ["CNcurses", "ConstraintAnimation", "Measurement"],
      swiftSettings: optimized),
    .target(
      name: "Configuration", dependencies: ["Measurement", .product(name: "Yams", package: "Yams")],
      swiftSettings: unoptimized),
    .target(name: "Formats", dependencies: ["CQrencode", "Measurement", "Threads"], swiftSettings: strict),
    .target(name: "Findings", dependencies: ["Measurement"], swiftSettings: optimized),
    .target(
      name: "HTTPServer",
      dependencies: [
        "Cryptography", "Measurement", "Threads",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
        .product(name: "NIOHTTP2", package: "swift-nio-http2"),
        .product(name: "NIOHPACK", package: "swift-nio-http2"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "NIOTLS", package: "swift-nio"),
      ], swiftSettings: strict),

    .target(name: "HTTPClient", dependencies: ["CCurl", "Measurement"], swiftSettings: strict),

    // Floor 3: what the store's rows mean: intervals, changes and causes, which the collector keeps and the readers show; when
    // notifications are due, the connections that they go over, and when each step was.
    .target(
      name: "Analysis", dependencies: ["Findings", "Measurement", "Store", "Threads"],
      swiftSettings: optimized),
    .target(
      name: "Transport",
      dependencies: [
        "CCurl", "CLinux", "CNghttp2", "COpenSSL", "Configuration", "HTTPClient", "Measurement", "Providers",
        "Threads",
        .product(name: "DequeModule", package: "swift-collections"),
      ], swiftSettings: strict),

    // Floor 4: the collector, the readers, the built-in service. None imports another.
    .target(
      name: "Collector",
      dependencies: [
        "Analysis", "CCurl", "CLinux", "CNghttp2", "Configuration", "Cryptography", "Findings",
        "HTTPClient", "HTTPServer", "Measurement", "Providers", "Store", "Threads", "Transport",
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHPACK", package: "swift-nio-http2"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      // The page of devices, embedded in the program.
      resources: [.embedInCode("Devices/Page")], swiftSettings: strict),
    .target(
      name: "TUI",
      dependencies: [
        "Analysis", "Configuration", "ConstraintAnimation", "Findings", "Formats", "Measurement", "Store",
        "Terminal", "Threads",
      ],
      swiftSettings: optimized),
    .target(
      name: "Report",
      dependencies: [
        "Analysis", "Configuration", "Cryptography", "Findings", "Formats", "Measurement", "Store", "Threads",
      ],
      swiftSettings: strict),
    .target(
      name: "LoopbackService",
      dependencies: [
        "Configuration", "Cryptography", "HTTPServer", "Measurement", "Threads",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOHTTP2", package: "swift-nio-http2"),
        .product(name: "NIOHPACK", package: "swift-nio-http2"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "NIOTLS", package: "swift-nio"),
      ], swiftSettings: strict),

    .target(
      name: "Monitoring",
      dependencies: [
        "Analysis", "CLinux", "Configuration", "Findings", "HTTPServer", "Measurement", "Store", "Threads",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHPACK", package: "swift-nio-http2"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ], swiftSettings: strict),

    .target(
      name: "Fleet",
      dependencies: [
        "CZlib", "Configuration", "Cryptography", "HTTPClient", "Measurement", "Store", "Threads",
        .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: strict),

    // Floor 5: the collector's second process, which explains, judges, tells and forwards what was recorded.
    .target(
      name: "Analyst",
      dependencies: [
        "Analysis", "CLinux", "Configuration", "Fleet", "Measurement", "Monitoring", "Store", "Threads",
        .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: unoptimized),

    // Floor 6: the command line.
    .executableTarget(
      name: "pushscope",
      dependencies: [
        "Analysis", "Analyst", "Collector", "Configuration", "Cryptography", "Findings", "Fleet", "Formats",
        "HTTPServer",
        "LoopbackService",
        "Measurement", "Monitoring", "Providers", "Report", "Store", "TUI", "Terminal", "Threads",
        "Transport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ], swiftSettings: unoptimized),

    // The animation core, one screen a behavior.
    .executableTarget(
      name: "gallery", dependencies: ["ConstraintAnimation", "Measurement", "Terminal", "Threads"],
      path: "Examples/Gallery",
      swiftSettings: strict),

    // Tests mirror the rooms.
    .target(name: "TestKit", dependencies: ["Measurement"], path: "Tests/TestKit", swiftSettings: strict),
    .target(name: "TestTraits", path: "Tests/TestTraits", swiftSettings: strict),
    .target(
      name: "StoreTestKit", dependencies: ["Measurement", "Store", "TestKit"], path: "Tests/StoreTestKit",
      swiftSettings: strict),
    .testTarget(
      name: "MeasurementTests", dependencies: ["Measurement", "TestKit", "TestTraits"], swiftSettings: strict),
    .testTarget(
      name: "ThreadsTests", dependencies: ["TestKit", "TestTraits", "Threads"], swiftSettings: strict),
    .testTarget(
      name: "CryptographyTests", dependencies: ["Cryptography", "TestKit"],
      swiftSettings: strict),
    .testTarget(
      name: "ConstraintAnimationTests",
      dependencies: [
        "Measurement", "TestKit", "TestTraits", "ConstraintAnimation", "ConstraintAnimationTestKit",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "StoreTests",
      dependencies: [
        "StoreTestKit", "TestKit", "TestTraits", "Measurement", "Store",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ], swiftSettings: strict),
    .testTarget(
      name: "ProvidersTests",
      dependencies: ["Cryptography", "Measurement", "Providers", "TestKit", "TestTraits"],
      swiftSettings: strict),
    .testTarget(
      name: "TerminalTests",
      dependencies: ["Measurement", "TestKit", "TestTraits", "ConstraintAnimation", "Terminal"],
      swiftSettings: strict),
    .testTarget(
      name: "ConfigurationTests", dependencies: ["TestKit", "TestTraits", "Configuration", "Measurement"],
      swiftSettings: strict),
    .testTarget(
      name: "FormatsTests", dependencies: ["Formats", "Measurement", "TestKit", "TestTraits"],
      swiftSettings: strict),
    .target(
      name: "FindingsTestKit", dependencies: ["Findings", "Measurement"], path: "Tests/FindingsTestKit",
      swiftSettings: optimized),
    .testTarget(
      name: "FindingsTests",
      dependencies: ["Findings", "FindingsTestKit", "Measurement", "TestKit"],
      swiftSettings: strict),
    .testTarget(
      name: "AnalysisTests",
      dependencies: [
        "Analysis", "Findings", "FindingsTestKit", "Measurement", "Store", "StoreTestKit", "TestKit",
        "TestTraits",
      ], exclude: ["Words/Sentences"], swiftSettings: strict),
    .target(name: "HTTPTestKit", dependencies: ["TestKit"], path: "Tests/HTTPTestKit", swiftSettings: strict),
    .testTarget(
      name: "HTTPServerTests",
      dependencies: [
        "TestKit", "HTTPServer", "HTTPTestKit", "Measurement",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOHPACK", package: "swift-nio-http2"),
        .product(name: "NIOHTTP2", package: "swift-nio-http2"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ], swiftSettings: strict),
    .target(
      name: "TransportTestKit",
      dependencies: ["HTTPTestKit", "Measurement", "Providers", "TestKit", "Transport"],
      path: "Tests/TransportTestKit", swiftSettings: strict),
    .testTarget(
      name: "TransportTests",
      dependencies: [
        "CCurl", "CLinux", "Configuration", "HTTPClient", "Measurement", "Providers", "TestKit", "TestTraits",
        "Threads", "Transport", "TransportTestKit",
      ], swiftSettings: strict),
    .testTarget(
      name: "CollectorTests",
      dependencies: [
        "Collector", "Configuration", "HTTPClient", "HTTPServer", "HTTPTestKit", "Measurement", "Providers",
        "Store", "TestKit", "TestTraits", "Transport", "TransportTestKit",
        .product(name: "GRDB", package: "GRDB.swift"),
      ], swiftSettings: strict),
    .testTarget(
      name: "MonitoringTests",
      dependencies: [
        "Analysis", "Collector", "Configuration", "Findings", "HTTPServer", "HTTPTestKit", "Measurement",
        "Monitoring", "Store", "StoreTestKit", "TestKit", "TestTraits", "Threads", "Transport",
        .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: strict),
    .testTarget(
      name: "AnalystTests",
      dependencies: [
        "Analysis", "Analyst", "Configuration", "Measurement", "Monitoring", "Store", "StoreTestKit",
        "TestKit",
        "Threads", .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: strict),
    .testTarget(
      name: "FleetTests",
      dependencies: [
        "Analysis", "Configuration", "Fleet", "Formats", "Measurement", "Report", "Store", "StoreTestKit",
        "TestKit", "TestTraits",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: strict),
    .testTarget(
      name: "TUITests",
      dependencies: [
        "Analysis", "Findings", "StoreTestKit", "TestKit", "Configuration",
        "ConstraintAnimation",
        "ConstraintAnimationTestKit", "Formats", "Measurement",
        "Report", "Store", "Terminal", "Threads", "TUI",
      ], exclude: ["Snapshots"], swiftSettings: strict),
    .testTarget(
      name: "ReportTests",
      dependencies: [
        "Analysis", "Configuration", "Findings", "StoreTestKit", "Formats", "Measurement", "TestKit",
        "TestTraits",
        "Report", "Store",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "LoopbackServiceTests",
      dependencies: [
        "TestKit", "TestTraits", "Configuration", "Cryptography", "HTTPServer", "HTTPTestKit",
        "LoopbackService",
        "Measurement",
        "Providers",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHPACK", package: "swift-nio-http2"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ], swiftSettings: strict),
    .testTarget(
      name: "GalleryTests",
      dependencies: [
        "Measurement", "TestKit", "ConstraintAnimation", "ConstraintAnimationTestKit",
        "gallery",
      ],
      exclude: ["Snapshots"], swiftSettings: strict),
    .testTarget(
      name: "FuzzTests",
      dependencies: [
        "TestKit", "Analysis", "Collector", "Configuration", "ConstraintAnimation", "Formats",
        "LoopbackService",
        "Measurement",
        "Providers", "TUI", "Terminal", "Transport", .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
      ], swiftSettings: strict),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "Findings", "Measurement", "Store", "TestKit", "TestTraits", "HTTPTestKit", "pushscope",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: strict),
  ]
)

// Measurements beside a peer. Nobody who uses pushscope builds them: PUSHSCOPE_BENCHMARKS=1 swift build -c release …
if Context.environment["PUSHSCOPE_BENCHMARKS"] != nil {
  package.targets += [
    .target(name: "AllocationCounter", path: "Benchmarks/Solver/AllocationCounter"),
    .target(name: "CursesPeer", path: "Benchmarks/Terminal/Peer"),
    .target(
      name: "StorePeer", path: "Benchmarks/Store/Peer", linkerSettings: [.linkedLibrary("sqlite3")]),
    benchmark("SolverBenchmark", "Solver", ["AllocationCounter", "ConstraintAnimation"]),
    benchmark("FrameBenchmark", "Frames", ["AllocationCounter", "ConstraintAnimation"]),
    benchmark("TerminalBenchmark", "Terminal", ["CursesPeer", "ConstraintAnimation", "Terminal"]),
    benchmark("DashboardBenchmark", "Dashboard", ["Measurement", "Store"]),
    benchmark("StoreBenchmark", "Store", ["Measurement", "Store", "StorePeer"]),
    benchmark(
      "ExportBenchmark", "Export", ["AllocationCounter", "Formats", "Measurement", "Report", "Store"]),
    benchmark("CoverageBenchmark", "Accuracy", ["Measurement"]),
    benchmark(
      "FindingsBenchmark", "Findings",
      ["Analysis", "Findings", "FindingsTestKit", "Measurement", "Report", "Store", "Threads"]),
    benchmark("FleetBenchmark", "Fleet", ["Configuration", "Fleet", "Measurement", "TestKit"]),
    benchmark(
      "TransportBenchmark", "Transport", ["CLinux", "Collector", "Measurement", "Providers", "Transport"]),
  ]
}

func benchmark(_ name: String, _ folder: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: "Benchmarks/\(folder)/Driver", swiftSettings: strict)
}
