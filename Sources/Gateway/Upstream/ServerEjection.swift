import Model

/// What the outcomes of requests say of one server: after so many failures in a row it is left alone for a while, longer
/// each time it happens again (GW-08).
///
/// A value; time is an argument in milliseconds. That not too many servers are out at once is the group's business.
struct ServerEjection: Equatable {
    /// The longest time out, in times of the first.
    private static let longest: Int64 = 10

    private(set) var failuresInRow = 0
    private(set) var until: Int64 = .min
    /// Ejections since the server behaved for long.
    private(set) var times: Int64 = 0
    /// Back from an ejection, and no request has succeeded yet: one failure is enough now.
    private(set) var isOnTrial = false
    private(set) var total: UInt64 = 0

    func isEjected(_ now: Int64) -> Bool { now < until }

    /// A request got an answer that is not the gateway's fault or the server's.
    mutating func succeeded() {
        failuresInRow = 0
        isOnTrial = false
    }

    /// A request failed. Answers whether the server ought to be ejected.
    mutating func failed(_ now: Int64, _ settings: EjectionSettings) -> Bool {
        // Requests that were under way when the server was ejected say nothing new.
        if isEjected(now) { return false }
        failuresInRow += 1
        return failuresInRow >= settings.failures || isOnTrial
    }

    /// Leaves the server alone from now on.
    mutating func eject(_ now: Int64, _ settings: EjectionSettings) {
        // A server that behaved for the longest time out begins anew.
        if until != .min, now - until > settings.time * ServerEjection.longest { times = 0 }
        times = min(times + 1, ServerEjection.longest)
        until = now + settings.time * times
        failuresInRow = 0
        isOnTrial = true
        total &+= 1
    }

    /// Ends the time out.
    mutating func pardon() {
        until = .min
        times = 0
        failuresInRow = 0
        isOnTrial = false
    }

    /// How many of so many servers may be out at once.
    static func allowed(of servers: Int, _ settings: EjectionSettings) -> Int {
        servers * settings.maximumPercent / 100
    }
}
