import Declaration

/// The login form of this gateway, which browsers are not sent away to.
package struct OwnFormEntry: ProviderEntry {
    package static let kinds = ["local"]
    package static let meaning = "`local`: the gateway's own form, for clients that name it."

    package static func read(_ object: inout ObjectReader, _ reading: ProviderReading) -> OwnFormEntry? {
        kinds.contains(reading.kind) ? OwnFormEntry() : nil
    }
}
