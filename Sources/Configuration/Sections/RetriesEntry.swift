/// Sending a request again that may be sent twice.
package struct RetriesEntry: Sendable {
    /// Retries of one request.
    package var attempts: Int
    /// Share of the requests that may be sent again, in percent.
    package var budgetPercent: Int
    /// Retries per second that are allowed even above the share.
    package var minimumPerSecond: Int

    static func read(_ object: inout ObjectReader) -> RetriesEntry {
        RetriesEntry(
            attempts: object.value(
                "attempts", .integer(0...5, "a number of retries"), default: 1,
                "Most retries of one request."),
            budgetPercent: object.value(
                "budgetPercent", .integer(0...100, "a percentage"), default: 20,
                "Share of all requests that may be sent again, in percent."),
            minimumPerSecond: object.value(
                "minPerSecond", .integer(0...1_000_000, "a number of retries"), default: 5,
                "Retries per second that are allowed even above `budgetPercent`."))
    }
}
