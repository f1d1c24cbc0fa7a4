import Model

extension UpstreamEntry {
    static let circuitBreaker = Shape.object(
        "a circuit breaker: {\"failures\", \"errorPercent\", \"window\", \"openFor\"}"
    ) { object in
        let failures = object.value(
            "failures", .integer(0...1_000_000, "a number of failures"), default: 0,
            "Failures in a row that open the breaker; 0 means that they do not count.")
        let errorPercent = object.value(
            "errorPercent", .integer(0...100, "a percentage"), default: 50,
            "Share of failed requests in a window that opens it, in percent; 0 means that it does not count.")
        let minimumRequests = object.value(
            "minRequests", .integer(1...1_000_000, "a number of requests"), default: 20,
            "Requests that a window needs before their share counts.")
        let window = object.value("window", .duration, default: .seconds(10), "Length of a window.")
        let pause = object.value(
            "openFor", .duration, default: .seconds(10), "How long nothing is sent before one request tries again.")
        if failures == 0, errorPercent == 0 {
            object.field.error("the breaker never opens", expected: "\"failures\" or \"errorPercent\" above 0")
        }
        var settings = CircuitBreaker.Settings(pause: pause.milliseconds)
        settings.failures = failures
        settings.errorPercent = errorPercent
        settings.minimumRequests = minimumRequests
        settings.windowMilliseconds = window.milliseconds
        return settings
    }
}
