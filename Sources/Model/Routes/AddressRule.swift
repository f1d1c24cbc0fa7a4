/// From which addresses requests are accepted.
package struct AddressRule: Hashable, Sendable {
    /// Empty for all.
    package var allowed: [IPAddressRange] = []
    /// Precedes `allowed`.
    package var denied: [IPAddressRange] = []

    package init() {}

    /// - Parameter address: of the client; nil if it has none, as on a Unix socket, which no rule accepts.
    package func accepts(_ address: IPAddress?) -> Bool {
        guard let address else { return false }
        return !denied.contains(address) && (allowed.isEmpty || allowed.contains(address))
    }
}
