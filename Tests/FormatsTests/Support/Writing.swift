import Formats

/// What the writer makes of rows that `body` writes.
func written(
  _ format: RecordFormat, _ columns: [String], _ body: (inout RecordWriter) throws -> Void
) throws -> String {
  let sink = MemorySink()
  var writer = RecordWriter(format: format, columns: columns, sink: sink)
  try writer.header()
  try body(&writer)
  try writer.finish()
  return sink.text
}
