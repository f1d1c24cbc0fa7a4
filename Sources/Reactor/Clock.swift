import Synchronization

/// The clocks of the process.
///
/// The wall clock is corrected, so that gateways with a common store agree on the time.
package enum Clock {
    /// Milliseconds of the monotonic clock.
    package static var monotonicMilliseconds: Int64 { Int64(Kernel.monotonicNanoseconds / 1_000_000) }
    /// Microseconds of the monotonic clock.
    package static var monotonicMicroseconds: Int64 { Int64(Kernel.monotonicNanoseconds / 1000) }
    /// Seconds since 1970.
    package static var wallSeconds: Int64 { wallMilliseconds / 1000 }
    /// Milliseconds since 1970.
    package static var wallMilliseconds: Int64 {
        machineMilliseconds + correctionMilliseconds
    }
    /// Milliseconds since 1970 by the uncorrected clock of the machine.
    package static var machineMilliseconds: Int64 { Kernel.wallNanoseconds / 1_000_000 }

    /// The latest second that any agreeing clock may have shown, also before this clock was set back. Tokens may be
    /// dated by it.
    package static var latestSecond: Int64 {
        let (shown, highest) = (wallMilliseconds, highest.load(ordering: .relaxed))
        let latest = highest - shown > largestStepMilliseconds ? shown : max(shown, highest)
        return (latest + agreementMilliseconds) / 1000
    }
    /// Maximum difference of the corrected clocks of gateways that share a store.
    static let agreementMilliseconds: Int64 = 50
    /// A clock that was further ahead was wrong, and using its time would refuse new tokens for that long.
    private static let largestStepMilliseconds: Int64 = 120_000

    /// The correction that is added to the clock of the machine.
    package static var correctionMilliseconds: Int64 {
        get { correction.load(ordering: .relaxed) }
        set {
            let shown = wallMilliseconds
            if shown - highest.load(ordering: .relaxed) > -largestStepMilliseconds {
                highest.max(shown, ordering: .relaxed)
            } else {
                highest.store(shown, ordering: .relaxed)
            }
            correction.store(newValue, ordering: .relaxed)
        }
    }
    private static let correction = Atomic<Int64>(0)
    /// The latest time shown before a correction.
    private static let highest = Atomic<Int64>(0)
}
