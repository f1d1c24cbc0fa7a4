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
