import AllocationCounter
import Formats
import Foundation
import Glibc
import Report
import Store

/// One export in a process of its own, so that its peak memory is nobody else's.
enum OneExport {
  static func run(_ path: String, table: String, format: String) throws {
    guard let table = ExportTable(rawValue: table), let format = RecordFormat(rawValue: format) else {
      exit(64)
    }
    let reader = try StoreReader.open(at: path)
    let descriptor = open("/dev/null", O_WRONLY)
    let before = allocation_count()
    let rows = try Exporter(reader: reader, format: format)
      .export(table, to: FileDescriptorSink(descriptor: descriptor, name: "/dev/null"))
    let allocations = allocation_count() - before
    print("\(rows) \(allocations) \(try peakKilobytes())")
  }

  /// The kernel's high water mark of this program alone; getrusage(2) would count what the parent held at the fork.
  private static func peakKilobytes() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split { $0 == " " || $0 == "\t" }.compactMap { Int($0) }.first ?? 0
  }
}
