// swift-tools-version: 6.1
import PackageDescription

/// Measurements, kept out of the product's own package so that nobody who uses the library builds them.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "benchmarks",
  dependencies: [.package(name: "pushscope", path: "..")],
  targets: [
    .target(name: "AllocationCounter", path: "Solver/AllocationCounter"),
    .executableTarget(
      name: "SolverBenchmark",
      dependencies: ["AllocationCounter", .product(name: "ConstraintAnimation", package: "pushscope")],
      path: "Solver/Driver",
      swiftSettings: strict),
  ]
)
