// swift-tools-version: 6.1
import PackageDescription

/// One target a room; a room may import rooms on lower floors only (docs/architecture.md).
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "pushscope",
  products: [
    .executable(name: "pushscope", targets: ["pushscope"]),
    .library(name: "ConstraintAnimation", targets: ["ConstraintAnimation"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-http2", exact: "1.46.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
    .package(url: "https://github.com/apple/swift-certificates", exact: "1.21.1"),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", exact: "0.2.0"),
    .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
  ],
  targets: [
    .executableTarget(name: "pushscope", dependencies: [
      .product(name: "ArgumentParser", package: "swift-argument-parser"),
      .product(name: "Logging", package: "swift-log"),
      .product(name: "Crypto", package: "swift-crypto"),
      .product(name: "NIOHTTP2", package: "swift-nio-http2"),
      .product(name: "NIOSSL", package: "swift-nio-ssl"),
      .product(name: "NIOPosix", package: "swift-nio"),
      .product(name: "X509", package: "swift-certificates"),
      .product(name: "GRDB", package: "GRDB.swift"),
      .product(name: "Histogram", package: "hdrhistogram-swift"),
      .product(name: "Yams", package: "Yams"),
      .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
    ], swiftSettings: strict),
    .target(name: "ConstraintAnimation", swiftSettings: strict),
  ]
)
