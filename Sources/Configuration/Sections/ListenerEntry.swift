/// A socket that clients connect to.
package struct ListenerEntry: Sendable {
    package var name: String
    package var role: ListenerRole
    package var place: ListenerPlace
    /// Whether HTTP/2 is spoken: by ALPN where the listener has TLS, else with clients that know beforehand.
    package var http2: Bool
    /// Peers that send a PROXY header before everything else; from them it is required, from others refused.
    package var proxyProtocol: [AddressBlock]
    /// nil where the listener is plain.
    package var tls: ListenerTLSEntry?

    static func readAll(_ field: Field) -> [ListenerEntry]? {
        guard let elements = field.elements("an array of listeners") else { return nil }
        if elements.isEmpty { field.error("no listener", expected: "at least one listener") }
        var listeners: [ListenerEntry] = []
        for (i, element) in elements.enumerated() {
            let listener = read(element, at: i)
            if listeners.contains(where: { $0.name == listener.name }) {
                element.error("duplicate listener name \"\(listener.name)\"", expected: "a unique name")
            }
            if !listener.place.isChosenBySystem, listeners.contains(where: { $0.place == listener.place }) {
                let noun = listener.place.noun
                element.error("another listener has this \(noun)", expected: "a free \(noun)")
            }
            listeners.append(listener)
        }
        if !listeners.isEmpty, !listeners.contains(where: { $0.role == .proxy }) {
            field.error("no listener takes requests for routes", expected: "at least one listener without \"role\"")
        }
        return listeners
    }

    private static func read(_ field: Field, at index: Int) -> ListenerEntry {
        var object = field.object("a listener: {\"address\", \"port\"}")
        let place = ListenerPlace.read(&object)
        let tlsField = object.take("tls")
        let proxyField = object.take("proxyProtocol")
        let http2Field = object.take("http2")
        let entry = ListenerEntry(
            name: object.value("name", default: place.standardName(at: index)) { $0.name() },
            role: object.value("role", default: .proxy) { $0.choice(ListenerRole.self) },
            place: place,
            http2: http2Field.flatMap { $0.bool() } ?? (tlsField != nil),
            proxyProtocol: proxyField.flatMap { $0.addressBlocks() } ?? [],
            tls: tlsField.map(ListenerTLSEntry.read))
        if tlsField == nil, entry.http2 {
            http2Field?.note("without TLS, HTTP/2 is for clients that know beforehand (h2c with prior knowledge)")
        }
        if case .unix = place, let proxyField, !entry.proxyProtocol.isEmpty {
            proxyField.error("peers of a unix socket have no address", expected: "no \"proxyProtocol\" here")
        }
        object.finish()
        return entry
    }
}

/// What requests to a listener are answered by.
package enum ListenerRole: String, Sendable, CaseIterable {
    /// Routes and the gateway's own endpoints.
    case proxy
    /// Health, readiness and metrics alone, without a token.
    case metrics
}
