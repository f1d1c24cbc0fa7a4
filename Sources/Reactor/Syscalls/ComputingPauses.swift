import CLinux

/// Lets others have the processor for an instant again and again while a thread computes.
///
/// A loop that has run for a moment longer than its share and sleeps for a few microseconds finds its processor taken by
/// whatever else can run, however far back that stands, and gets it back at the next tick of the kernel: up to four
/// milliseconds later. A password hash is a single call of tens of milliseconds in a library that never yields, so a
/// signal interrupts it: twenty microseconds in half a millisecond, for a wait of half a millisecond at most.
struct ComputingPauses: ~Copyable {
    private static let interval: UInt64 = 500_000

    private let timer: Int?

    /// For the calling thread. Where the system gives no timer, it computes without pauses.
    init() {
        var made = 0
        // SAFETY: the number is written before the call returns.
        timer = unsafe clinux_pauses_make(&made) == 0 ? made : nil
    }

    deinit {
        if let timer { clinux_pauses_free(timer) }
    }

    /// Runs the work with pauses in it.
    func during(_ work: () -> Void) {
        guard let timer else { return work() }
        clinux_pauses_set(timer, ComputingPauses.interval)
        work()
        clinux_pauses_set(timer, 0)
    }
}
