import Model

/// Proxies whose forwarding fields are trusted, and which fields those are. None by default.
package struct TrustedProxies: Sendable {
    package var ranges: [IPAddressRange]
    /// The trusted family of fields; the other one is always removed.
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
