import HTTP
import Model

/// Proxies whose header fields about clients are trusted, and which fields. By default none.
package struct TrustedProxies: Sendable {
    package var ranges: [IPAddressRange]
    /// The fields that are read; the other family is removed unread, as all of it is that others send.
    package var family: ForwardedFamily

    package init(_ ranges: [IPAddressRange] = [], family: ForwardedFamily = .xForwarded) {
        self.ranges = ranges
        self.family = family
    }

    func contains(_ address: IPAddress?) -> Bool {
        guard let address, !ranges.isEmpty else { return false }
        return ranges.contains(address)
    }
}
