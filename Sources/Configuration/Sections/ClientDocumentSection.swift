import Declaration
import Model

/// Clients whose ids are the URLs of their metadata (draft-ietf-oauth-client-id-metadata-document-02).
package struct ClientDocumentSection: Sendable {
    package var rules: ClientDocumentRules
    /// PEM file with the authorities of the documents' servers; nil for those of the system.
    package var authoritiesFile: String?

    static let shape = Shape.object("an object: {\"allowedDomains\"}") { object in
        let hosts = object.required(
            "allowedDomains", hosts, "an array of hosts", placeholder: [],
            """
            Hosts of the documents, such as `example.com`; `*.example.com` for names with one more label, `*` for all hosts.
            """)
        let addresses = object.value(
            "allowedAddresses", .addressBlocks, default: [],
            "Addresses and blocks where documents are fetched beside public addresses, such as those of an own network."
        )
        let authorities = object.optional(
            "caFile", .certificateFile,
            "PEM file with the authorities that may have issued the servers' certificates; the system's by default.")
        return ClientDocumentSection(
            rules: ClientDocumentRules(hosts: hosts, addresses: addresses), authoritiesFile: authorities)
    }

    private static let hosts = Shape<[HostPattern?]>(
        .list(.pattern("^(\\*|(\\*\\.)?[A-Za-z0-9._-]+)$"), minimum: 1),
        read: { field in
            let expected = "a host name such as \"example.com\" or \"*.example.com\", without port, or \"*\""
            let elements = field.elements("an array of hosts")
            if elements?.isEmpty == true { field.error("the list is empty", expected: "at least one host") }
            return elements?.compactMap { element -> HostPattern?? in
                guard let text = element.text(expected) else { return nil }
                if text == "*" { return .some(nil) }
                guard let host = HostPattern(text) else { return element.invalid(expected) }
                return host
            }
        })
}
