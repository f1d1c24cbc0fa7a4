import Declaration
import Model

extension UpstreamEntry {
    static let circuitBreaker = Shape.object(
        "a circuit breaker: {\"failures\", \"errorPercent\", \"window\", \"openFor\"}"
    ) { object in
        var settings = CircuitBreaker.Settings()
        settings.errorPercent = 50
        object.read(
            "failures", .integer(0...1_000_000, "a number of failures"), into: &settings.failures,
            "Failures in a row that open the breaker; 0 means that they do not count.")
        object.read(
            "errorPercent", .integer(0...100, "a percentage"), into: &settings.errorPercent,
            "Share of failed requests in a window that opens it, in percent; 0 means that it does not count.")
        object.read(
            "minRequests", .integer(1...1_000_000, "a number of requests"), into: &settings.minimumRequests,
            "Requests that a window needs before their share counts.")
        object.read("window", .milliseconds, into: &settings.windowMilliseconds, "Length of a window.")
        object.read(
            "openFor", .milliseconds, into: &settings.pauseMilliseconds,
            "How long nothing is sent before one request tries again.")
        settings.longestPauseMilliseconds = settings.pauseMilliseconds
        if settings.failures == 0, settings.errorPercent == 0 {
            object.field.error("the breaker never opens", expected: "\"failures\" or \"errorPercent\" above 0")
        }
        return settings
    }
}
