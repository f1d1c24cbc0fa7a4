import Bytes
import Crypto
import HTTP
import Policy

/// A protocol upgrade that needs the upstream's agreement (RFC 9110 section 7.8).
struct Upgrade {
    /// The protocol, as spelt in the configuration.
    let name: [UInt8]
    /// `Sec-WebSocket-Key` of a handshake made for an HTTP/2 client, which sends none (RFC 8441 section 5); otherwise
    /// empty.
    let ownKey: [UInt8]
    /// Expected `Sec-WebSocket-Accept`; empty for protocols other than WebSocket.
    let accept: [UInt8]

    var isWebSocket: Bool { !accept.isEmpty }

    /// The upgrade requested by an HTTP/1.1 client and supported by the route; nil for an ordinary request.
    ///
    /// - Parameter bytes: the buffer of `head` and `headers`.
    init?(_ head: RequestHead, _ headers: HeaderTable, _ bytes: Span<UInt8>, _ route: Route) {
        // After a head with a body, the two sides could disagree on whether bytes belong to the body or the tunnel.
        guard head.framing == .none || head.framing == .length(0) else { return nil }
        guard let name = Upgrade.choose(headers, bytes, route) else { return nil }
        self.name = name
        ownKey = []
        guard bytesEqualIgnoringCase(name.span, Upgrade.webSocket.span) else {
            accept = []
            return
        }
        // RFC 6455 section 4.2.1; without a key the answer could not be matched to this handshake.
        guard head.method == .get, let key = Upgrade.value(of: Upgrade.keyField, headers, bytes),
            Base64.decode(bytes.slice(key))?.count == 16
        else { return nil }
        accept = Upgrade.accept(for: bytes.slice(key))
    }

    /// The handshake for a client's extended CONNECT (RFC 8441); nil if the route has no WebSockets.
    init?(extendedConnectTo route: Route) {
        guard let name = route.upgrade(named: Upgrade.webSocket.span) else { return nil }
        self.name = name
        ownKey = Base64.encode(SecureRandom.bytes(16).span)
        let key = ownKey
        accept = Upgrade.accept(for: key.span)
    }

    /// Writes the fields that request it. Heads written by the gateway have no other such fields.
    func appendRequestFields(to chunk: Chunk) {
        appendFields(to: chunk)
        if !ownKey.isEmpty { HeadWriter.appendField(Upgrade.keyField.span, ownKey.span, to: chunk) }
    }

    /// Writes `Connection` and `Upgrade`.
    func appendFields(to chunk: Chunk) {
        HeadWriter.appendField("Connection", "Upgrade", to: chunk)
        HeadWriter.appendField("Upgrade", name.span, to: chunk)
    }

    /// Whether one of the gateway's fields replaces a field of the client's head.
    func replaces(_ field: HeaderField, _ bytes: Span<UInt8>) -> Bool {
        !ownKey.isEmpty && field.token == .other
            && ManagedName.isAlias(bytes.slice(field.name), of: Upgrade.keyField.span)
    }

    /// Whether a 101 accepts exactly this handshake. Otherwise the upstream may have been tricked into it, and would
    /// parse what follows as requests.
    func isAgreed(by headers: HeaderTable, _ bytes: Span<UInt8>) -> Bool {
        guard ConnectionOptions(headers, bytes).upgrade, headers.occurrences(.upgrade) == 1,
            let field = headers.value(.upgrade), bytesEqualIgnoringCase(bytes.slice(field), name.span)
        else { return false }
        if accept.isEmpty { return true }
        guard let value = Upgrade.value(of: Upgrade.acceptField, headers, bytes) else { return false }
        return bytesEqual(bytes.slice(value), accept.span)
    }

    /// Whether a field belongs to the handshake only, which an HTTP/2 client has not made.
    static func isHandshake(_ field: HeaderField, _ bytes: Span<UInt8>) -> Bool {
        field.token == .other && bytesEqualIgnoringCase(bytes.slice(field.name), acceptField.span)
    }

    // MARK: Parts

    static let webSocket = Array("websocket".utf8)
    private static let keyField = Array("Sec-WebSocket-Key".utf8)
    private static let acceptField = Array("Sec-WebSocket-Accept".utf8)
    /// RFC 6455 section 1.3
    private static let acceptSuffix = Array("258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)

    static func accept(for key: Span<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        text.append(copying: key)
        text += acceptSuffix
        return Base64.encode(DigestAlgorithm.sha1.digest(text.span).span)
    }

    /// The first protocol in the client's list, ordered by preference, that the route supports.
    private static func choose(_ headers: HeaderTable, _ bytes: Span<UInt8>, _ route: Route) -> [UInt8]? {
        for i in 0..<headers.count where headers[i].token == .upgrade {
            var list = FieldList(headers[i].value)
            while let element = list.next(bytes) {
                if let name = route.upgrade(named: bytes.slice(element)) { return name }
            }
        }
        return nil
    }

    /// The value of a field that occurs exactly once.
    private static func value(of name: [UInt8], _ headers: HeaderTable, _ bytes: Span<UInt8>) -> ByteRange? {
        var found: ByteRange?
        for i in 0..<headers.count where headers[i].token == .other {
            guard bytesEqualIgnoringCase(bytes.slice(headers[i].name), name.span) else { continue }
            if found != nil { return nil }
            found = headers[i].value
        }
        return found
    }
}
