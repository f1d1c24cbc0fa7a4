import Declaration
import Model

extension RetrySettings {
    static func read(_ object: inout ObjectReader) -> RetrySettings {
        var settings = RetrySettings()
        object.read(
            "attempts", .integer(0...5, "a number of retries"), into: &settings.attempts,
            "Most retries of one request.")
        object.read(
            "budgetPercent", .integer(0...100, "a percentage"), into: &settings.budgetPercent,
            "Share of all requests that may be sent again, in percent.")
        object.read(
            "minPerSecond", .integer(0...1_000_000, "a number of retries"), into: &settings.minimumPerSecond,
            "Retries per second that are allowed even above `budgetPercent`.")
        return settings
    }
}
