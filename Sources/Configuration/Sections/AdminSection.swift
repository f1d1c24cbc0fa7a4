/// The listener for health, metrics and administration; never the public one (POL-05).
package struct AdminSection: Sendable {
    package var address: IPLiteral
    package var port: Int
    /// What administrators present as a bearer token.
    package var token: Secret?
    /// Names by which it is asked beside `localhost` and IP addresses, in lower case.
    package var hosts: [String]

    static func read(_ field: Field) -> AdminSection? {
        var object = field.object("the admin listener: {\"address\", \"port\"}")
        let address = object.value("address", default: .loopback) { $0.address() }
        let port = object.value("port", default: 9901) { $0.integer(in: 0...65535, "a port number") }
        let tokenField = object.take("adminToken")
        let token = tokenField.flatMap { $0.secret() }
        let hosts = object.value("hosts", default: [], hosts)
        object.finish()
        if !address.isLoopback, tokenField == nil {
            // POL-05: what is reachable from outside asks for a credential.
            field.error(
                "an admin listener that is not on loopback needs \"adminToken\"",
                expected: "\"adminToken\", or a loopback address", found: "\"\(address)\"")
        }
        return AdminSection(address: address, port: port, token: token, hosts: hosts)
    }

    private static func hosts(_ field: Field) -> [String]? {
        let expected = "a host name such as \"portcullis.monitoring.svc\", without port"
        guard let elements = field.elements("an array of host names") else { return nil }
        return elements.compactMap { element in
            guard let text = element.text(expected) else { return nil }
            guard WebOrigin.isHostName(text[...]) else {
                element.invalid(expected)
                return nil
            }
            return text.lowercased()
        }
    }
}
