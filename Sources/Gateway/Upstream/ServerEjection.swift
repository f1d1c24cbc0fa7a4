import Model

/// Passive outlier detection for one server: after a number of consecutive failures it is ejected for a while, longer
/// each time (GW-08).
///
/// A value; time is an argument in milliseconds. The group limits the number of concurrent ejections.
struct ServerEjection: Equatable {
    /// The longest ejection, as a multiple of the first.
    private static let longest: Int64 = 10

    private(set) var failuresInRow = 0
    private(set) var until: Int64 = .min
    /// Ejections since a long period without failures.
    private(set) var times: Int64 = 0
    /// Whether it returned from an ejection without a success since: a single failure ejects it again.
    private(set) var isOnTrial = false
    private(set) var total: UInt64 = 0

    func isEjected(_ now: Int64) -> Bool { now < until }

    /// A request got a response that indicates no failure of the gateway or the server.
    mutating func succeeded() {
        failuresInRow = 0
        isOnTrial = false
    }

    /// A request failed. Returns whether to eject the server.
    mutating func failed(_ now: Int64, _ settings: EjectionSettings) -> Bool {
        // Requests in progress at the ejection add no information.
        if isEjected(now) { return false }
        failuresInRow += 1
        return failuresInRow >= settings.failures || isOnTrial
    }

    /// Ejects the server from now on.
    mutating func eject(_ now: Int64, _ settings: EjectionSettings) {
        // After a failure-free period as long as the longest ejection, counting starts over.
        if until != .min, now - until > settings.time * ServerEjection.longest { times = 0 }
        times = min(times + 1, ServerEjection.longest)
        until = now + settings.time * times
        failuresInRow = 0
        isOnTrial = true
        total &+= 1
    }

    /// Ends the ejection.
    mutating func pardon() {
        until = .min
        times = 0
        failuresInRow = 0
        isOnTrial = false
    }

    /// Maximum number of concurrently ejected servers.
    static func allowed(of servers: Int, _ settings: EjectionSettings) -> Int {
        servers * settings.maximumPercent / 100
    }
}
