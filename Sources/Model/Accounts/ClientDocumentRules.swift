/// Which clients may have the URL of their metadata as id.
package struct ClientDocumentRules: Sendable, Equatable {
    /// Hosts of the documents; nil among them for any host.
    package var hosts: [HostPattern?]
    /// Where documents are fetched beside public addresses.
    package var addresses: [IPAddressRange]

    package init(hosts: [HostPattern?], addresses: [IPAddressRange] = []) {
        self.hosts = hosts
        self.addresses = addresses
    }

    /// - Parameter host: in lower case.
    package func allow(_ host: String) -> Bool { hosts.contains { $0?.fits(host) ?? true } }
}
