/// The clocks, for everything above that takes time as an argument.
package enum Clock {
    /// Milliseconds of a clock that never goes back.
    package static var monotonicMilliseconds: Int64 { Int64(Kernel.monotonicNanoseconds / 1_000_000) }
    /// Microseconds of a clock that never goes back.
    package static var monotonicMicroseconds: Int64 { Int64(Kernel.monotonicNanoseconds / 1000) }
    /// Seconds since 1970.
    package static var wallSeconds: Int64 { Kernel.wallNanoseconds / 1_000_000_000 }
    /// Milliseconds since 1970.
    package static var wallMilliseconds: Int64 { Kernel.wallNanoseconds / 1_000_000 }
}
