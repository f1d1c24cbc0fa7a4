import Model

extension RetrySettings {
    static func read(_ object: inout ObjectReader) -> RetrySettings {
        var settings = RetrySettings()
        settings.attempts = object.value(
            "attempts", .integer(0...5, "a number of retries"), default: 1, "Most retries of one request.")
        settings.budgetPercent = object.value(
            "budgetPercent", .integer(0...100, "a percentage"), default: 20,
            "Share of all requests that may be sent again, in percent.")
        settings.minimumPerSecond = object.value(
            "minPerSecond", .integer(0...1_000_000, "a number of retries"), default: 5,
            "Retries per second that are allowed even above `budgetPercent`.")
        return settings
    }
}
