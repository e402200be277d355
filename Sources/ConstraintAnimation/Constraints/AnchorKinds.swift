/// Marks anchors that are places from left to right.
public enum XAxis {}

/// Marks anchors that are places from top to bottom.
public enum YAxis {}

/// Marks anchors that are lengths.
public enum DimensionKind {}
