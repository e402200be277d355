/// Version 13: the smallest changes that a detector would find, as JSON; of what an earlier version watched it is not known.
enum SchemaVersion13 {
  static let sql = "ALTER TABLE detector ADD COLUMN power TEXT;"
}
