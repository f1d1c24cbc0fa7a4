import CLinux
import Synchronization

/// Returns freed memory to the system, which malloc otherwise keeps: after each reload of a large configuration, the
/// arena of its thread would keep as much memory.
package final class HeapTrimmer: Sendable {
    /// Long enough for a replaced configuration to be freed.
    private static let delay = 1500

    private let isRequested = Atomic<Bool>(false)
    private let queue = SerialQueue(label: "portcullis.heap")

    package init() {}

    /// Trims after a delay, on a thread of its own; further requests until then are merged.
    package func request() {
        guard !isRequested.exchange(true, ordering: .acquiringAndReleasing) else { return }
        queue.submit(afterMilliseconds: HeapTrimmer.delay) { [self] in
            isRequested.store(false, ordering: .releasing)
            clinux_trim_heap()
        }
    }

    /// Limits the arenas of malloc. Call before threads are started.
    package static func limitArenas(to count: Int) { clinux_limit_arenas(Int32(clamping: count)) }
}
