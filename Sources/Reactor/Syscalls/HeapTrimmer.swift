import CLinux
import Synchronization

/// Gives memory that was freed back to the system. malloc keeps it: each reading of a large configuration would otherwise
/// leave as much behind as it has taken, in the arena of whichever thread it ran on.
package final class HeapTrimmer: Sendable {
    /// Long enough for a configuration that was replaced to be freed.
    private static let delay = 1500

    private let isRequested = Atomic<Bool>(false)
    private let queue = SerialQueue(label: "portcullis.heap")

    package init() {}

    /// Trims somewhat later, on a thread of its own; requests until then are one.
    package func request() {
        guard !isRequested.exchange(true, ordering: .acquiringAndReleasing) else { return }
        queue.submit(afterMilliseconds: HeapTrimmer.delay) { [self] in
            isRequested.store(false, ordering: .releasing)
            clinux_trim_heap()
        }
    }

    /// Bounds the arenas of malloc. To be called before threads are started.
    package static func limitArenas(to count: Int) { clinux_limit_arenas(Int32(clamping: count)) }
}
