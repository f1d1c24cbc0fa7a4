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

    static let shape = Shape.object(
        "a circuit breaker: {\"failures\", \"errorPercent\", \"window\", \"openFor\"}"
    ) { object in
        let entry = CircuitBreakerEntry(
            failures: object.value(
                "failures", .integer(0...1_000_000, "a number of failures"), default: 0,
                "Failures in a row that open the breaker; 0 means that they do not count."),
            errorPercent: object.value(
                "errorPercent", .integer(0...100, "a percentage"), default: 50,
                "Share of failed requests in a window that opens it, in percent; 0 means that it does not count."),
            minimumRequests: object.value(
                "minRequests", .integer(1...1_000_000, "a number of requests"), default: 20,
                "Requests that a window needs before their share counts."),
            window: object.value("window", .duration, default: .seconds(10), "Length of a window."),
            openFor: object.value(
                "openFor", .duration, default: .seconds(10), "How long nothing is sent before one request tries again.")
        )
        if entry.failures == 0, entry.errorPercent == 0 {
            object.field.error("the breaker never opens", expected: "\"failures\" or \"errorPercent\" above 0")
        }
        return entry
    }
}
