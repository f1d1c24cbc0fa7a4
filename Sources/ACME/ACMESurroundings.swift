import Outbound

/// What an attempt needs of the process. It runs on a thread of its own, which it blocks.
package struct ACMESurroundings {
    /// Makes a call and waits for its result.
    let call: (OutboundCall) -> OutboundResult
    /// Waits for some milliseconds. False if the process ends: the attempt is given up.
    package let pause: (Int64) -> Bool
    /// Milliseconds of a clock that is never set.
    let monotonicMilliseconds: () -> Int64
    /// Seconds since 1970.
    let wallSeconds: () -> Int64
    /// How the authority is reached.
    let transport: OutboundTransport

    package init(
        transport: OutboundTransport, call: @escaping (OutboundCall) -> OutboundResult,
        pause: @escaping (Int64) -> Bool, monotonicMilliseconds: @escaping () -> Int64,
        wallSeconds: @escaping () -> Int64
    ) {
        self.transport = transport
        self.call = call
        self.pause = pause
        self.monotonicMilliseconds = monotonicMilliseconds
        self.wallSeconds = wallSeconds
    }
}
