import Declaration
import Model

/// The listener for health, metrics and administration; never the public one (POL-05).
package struct AdminSection: Sendable {
    package var address: IPAddress
    package var port: Int
    /// The bearer token of administrators.
    package var token: Secret?
    /// Accepted host names besides `localhost` and IP addresses, in lower case.
    package var hosts: [String]
    /// Whether its requests are in the access log.
    package var isLogged: Bool

    static let shape = Shape<AdminSection>.object("the admin listener: {\"address\", \"port\"}") { object in
        let address = object.value("address", .address.atStart(), default: .loopback, "IP address to listen on.")
        let port = object.value("port", .port.atStart(), default: 9901, "Port; 0 lets the system choose.")
        let token = object.take(
            "adminToken", .secret,
            """
            Bearer token of administrators. Required if the listener is not on loopback, and for every \
            request that changes something. A token of 43 characters or more, such as `openssl rand -base64 32` makes, is \
            never [held back](guides/administration.md#access) because of wrong tokens from others.
            """)
        if !address.isLoopback, token == nil {
            // A listener that is reachable from outside needs a token.
            object.field.error(
                "an admin listener that is not on loopback needs \"adminToken\"",
                expected: "\"adminToken\", or a loopback address", found: "\"\(address)\"")
        }
        return AdminSection(
            address: address, port: port, token: token?.read(),
            hosts: object.value(
                "hosts", hostName.list("an array of host names", isUnique: false), default: [],
                "Accepted host names besides `localhost` and IP addresses. A request with another `Host` gets 421."),
            isLogged: object.value(
                "accessLog", .flag, default: true,
                """
                Whether requests are in the access log. `false` keeps probes and scrapes out; changes by administrators are \
                in the audit trail.
                """))
    }

    private static let hostName = Shape.text(.text) { field in
        let expected = "a host name such as \"portcullis.monitoring.svc\", without port"
        guard let text = field.text(expected) else { return nil }
        guard HostName.isValid(text) else { return field.invalid(expected) }
        return text.lowercased()
    }
}
