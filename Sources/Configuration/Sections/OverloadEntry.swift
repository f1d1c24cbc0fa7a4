/// When an upstream as a whole is left alone for a while.
package struct CircuitBreakerEntry: Sendable {
    /// Failures in a row; 0 means any number.
    package var failures: Int
    /// Share of failed requests in a window, in percent; 0 means any share.
    package var errorPercent: Int
    /// Requests that a window must have before their share counts.
    package var minimumRequests: Int
    package var window: Duration
    /// How long nothing is sent before one request tries again.
    package var openFor: Duration

    static func read(_ field: Field) -> CircuitBreakerEntry {
        var object = field.object("a circuit breaker: {\"failures\", \"errorPercent\", \"window\", \"openFor\"}")
        let entry = CircuitBreakerEntry(
            failures: object.count("failures", in: 0...1_000_000, default: 0, "a number of failures"),
            errorPercent: object.count("errorPercent", in: 0...100, default: 50, "a percentage"),
            minimumRequests: object.count("minRequests", in: 1...1_000_000, default: 20, "a number of requests"),
            window: object.duration("window", default: .seconds(10)),
            openFor: object.duration("openFor", default: .seconds(10)))
        if entry.failures == 0, entry.errorPercent == 0 {
            field.error("the breaker never opens", expected: "\"failures\" or \"errorPercent\" above 0")
        }
        object.finish()
        return entry
    }
}

/// Requests that wait for a place at an upstream.
package struct QueueEntry: Sendable {
    /// Of each worker; 0 where nothing waits.
    package var length = 0
    package var timeout = Duration.seconds(1)

    static func read(_ field: Field) -> QueueEntry {
        let standard = QueueEntry()
        var object = field.object("a queue: {\"length\", \"timeout\"}")
        let entry = QueueEntry(
            length: object.count("length", in: 0...1_000_000, default: standard.length, "a number of requests"),
            timeout: object.duration("timeout", default: standard.timeout))
        object.finish()
        return entry
    }
}

/// Sending a request again that may be sent twice.
package struct RetriesEntry: Sendable {
    /// How often a request is sent again at the most.
    package var attempts = 1
    /// Share of the requests that may be sent again, in percent.
    package var budgetPercent = 20
    /// How many may be sent again each second whatever their share.
    package var minimumPerSecond = 5

    static func read(_ field: Field) -> RetriesEntry {
        let standard = RetriesEntry()
        var object = field.object("retries: {\"attempts\", \"budgetPercent\", \"minPerSecond\"}")
        let entry = RetriesEntry(
            attempts: object.count("attempts", in: 0...5, default: standard.attempts, "a number of retries"),
            budgetPercent: object.count("budgetPercent", in: 0...100, default: standard.budgetPercent, "a percentage"),
            minimumPerSecond: object.count(
                "minPerSecond", in: 0...1_000_000, default: standard.minimumPerSecond, "a number of retries"))
        object.finish()
        return entry
    }
}
