import CLinux

/// Resource usage of this process, for monitoring.
package struct ProcessFigures: Sendable {
    package var processorSeconds = 0.0
    package var residentBytes: UInt64 = 0
    package var virtualBytes: UInt64 = 0
    package var openDescriptors: UInt64 = 0
    package var maximumDescriptors: UInt64 = 0
    /// Seconds since 1970.
    package var startedAt: Int64 = 0

    package init() {}

    /// The current figures.
    package static func current(startedAt: Int64) -> ProcessFigures {
        let read = clinux_process_figures()
        var figures = ProcessFigures()
        figures.processorSeconds = Double(read.cpu_microseconds) / 1_000_000
        figures.residentBytes = read.resident_bytes
        figures.virtualBytes = read.virtual_bytes
        figures.openDescriptors = read.open_descriptors
        figures.maximumDescriptors = UInt64(max(0, clinux_open_file_limit()))
        figures.startedAt = startedAt
        return figures
    }
}
