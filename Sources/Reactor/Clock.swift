import Synchronization

/// The clocks, for everything above that takes time as an argument.
///
/// The wall clock is that of the machine with a correction, by which several gateways agree on the time.
package enum Clock {
    /// Milliseconds of a clock that never goes back.
    package static var monotonicMilliseconds: Int64 { Int64(Kernel.monotonicNanoseconds / 1_000_000) }
    /// Microseconds of a clock that never goes back.
    package static var monotonicMicroseconds: Int64 { Int64(Kernel.monotonicNanoseconds / 1000) }
    /// Seconds since 1970.
    package static var wallSeconds: Int64 { wallMilliseconds / 1000 }
    /// Milliseconds since 1970.
    package static var wallMilliseconds: Int64 {
        machineMilliseconds + correctionMilliseconds
    }
    /// Milliseconds since 1970 by the clock of the machine.
    package static var machineMilliseconds: Int64 { Kernel.wallNanoseconds / 1_000_000 }

    /// The last second that has begun by any clock that agrees with this one, also before this clock was set back: tokens
    /// have been dated by it.
    package static var latestSecond: Int64 {
        let (now, highest) = (wallMilliseconds, highest.load(ordering: .relaxed))
        let latest = highest - now > largestStepMilliseconds ? now : max(now, highest)
        return (latest + agreementMilliseconds) / 1000
    }
    /// By how much the clocks of gateways that share a store differ at the most once they are corrected.
    static let agreementMilliseconds: Int64 = 50
    /// A clock that was ahead by more was wrong, and its time would refuse new tokens for as long.
    private static let largestStepMilliseconds: Int64 = 120_000

    /// What is added to the clock of the machine.
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
    /// The latest time that this clock has shown when it was corrected.
    private static let highest = Atomic<Int64>(0)
}
