import CLinux

/// Periodically yields the processor while a thread computes.
///
/// A loop that has exceeded its share and sleeps for some microseconds loses its processor to any runnable thread, and
/// gets it back at the next tick of the kernel, up to four milliseconds later. A password hash is a single library call
/// of tens of milliseconds that never yields, so that a signal interrupts it for twenty microseconds in each half
/// millisecond, which bounds the wait to half a millisecond.
struct ComputingPauses: ~Copyable {
    private static let interval: UInt64 = 500_000

    private let timer: Int?

    /// For the calling thread. Without a timer of the system there are no pauses.
    init() {
        var made = 0
        // SAFETY: the number is written before the call returns.
        timer = unsafe clinux_pauses_make(&made) == 0 ? made : nil
    }

    deinit {
        if let timer { clinux_pauses_free(timer) }
    }

    /// Runs the work with pauses.
    func during(_ work: () -> Void) {
        guard let timer else { return work() }
        clinux_pauses_set(timer, ComputingPauses.interval)
        work()
        clinux_pauses_set(timer, 0)
    }
}
