/// A server behind the gateway.
package struct UpstreamEntry: Sendable {
    package var name: String
    /// Scheme, host and port as configured.
    package var origin: WebOrigin
    /// Where to connect to.
    package var address: IPLiteral
    package var connectTimeout: Duration
    /// From the end of the request to the head of the response.
    package var responseTimeout: Duration
    package var idleTimeout: Duration
    /// Idle connections kept by each worker.
    package var maximumIdle: Int
    /// Connections of each worker; 0 means any number.
    package var maximumConnections: Int

    package var port: Int { origin.port }

    static func readAll(_ field: Field) -> [UpstreamEntry]? {
        field.object("an object of upstreams by name").entries.map { name, place in
            if !WebgateEntry.isName(name) { place.error("invalid upstream name", expected: WebgateEntry.nameRule) }
            return read(place, name: name)
        }
    }

    private static func read(_ field: Field, name: String) -> UpstreamEntry {
        var object = field.object("an upstream: {\"url\"}")
        let standIn = WebOrigin(isSecure: false, host: "127.0.0.1", port: 80)
        let (origin, address) = object.required(
            "url", "a URL such as \"http://127.0.0.1:9000\"", standIn: (standIn, .loopback), target)
        let entry = UpstreamEntry(
            name: name, origin: origin, address: address,
            connectTimeout: object.duration("connectTimeout", default: .seconds(5)),
            responseTimeout: object.duration("responseTimeout", default: .seconds(60)),
            idleTimeout: object.duration("idleTimeout", default: .seconds(60)),
            maximumIdle: object.value("maxIdle", default: 64) { $0.integer(in: 0...65_536, "a number of connections") },
            maximumConnections: object.value("maxConnections", default: 0) {
                $0.integer(in: 0...65_536, "a number of connections")
            }
        )
        object.finish()
        return entry
    }

    private static func target(_ field: Field) -> (WebOrigin, IPLiteral)? {
        guard let origin = field.origin() else { return nil }
        guard !origin.isSecure else {
            field.error(
                "TLS to upstreams is not part of this version", expected: "a URL with http", found: field.summary)
            return nil
        }
        guard let address = origin.host == "localhost" ? .loopback : IPLiteral(origin.host) else {
            field.error(
                "host names of upstreams are not resolved in this version", expected: "an IP address or \"localhost\"",
                found: field.summary)
            return nil
        }
        return (origin, address)
    }
}
