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
