import Bytes
import Crypto
import HTTP
import Policy

/// What a connection is to become once the upstream agrees (RFC 9110 section 7.8).
struct Upgrade {
    /// The protocol, in the spelling of the configuration.
    let name: [UInt8]
    /// `Sec-WebSocket-Key` of a handshake that the gateway makes for a client of HTTP/2, which has none (RFC 8441
    /// section 5); else empty.
    let ownKey: [UInt8]
    /// What `Sec-WebSocket-Accept` has to be; empty for other protocols than WebSocket.
    let accept: [UInt8]

    var isWebSocket: Bool { !accept.isEmpty }

    /// What a client of HTTP/1.1 asks for, as far as the route has it; nil where the request is one like any other.
    ///
    /// - Parameter bytes: the buffer of `head` and `headers`.
    init?(_ head: RequestHead, _ headers: HeaderTable, _ bytes: Span<UInt8>, _ route: Route) {
        // What follows a head with a body could be taken for the tunnel's by one side and for the body by the other.
        guard head.framing == .none || head.framing == .length(0) else { return nil }
        guard let name = Upgrade.choose(headers, bytes, route) else { return nil }
        self.name = name
        ownKey = []
        guard bytesEqualIgnoringCase(name.span, Upgrade.webSocket.span) else {
            accept = []
            return
        }
        // RFC 6455 section 4.2.1; without a key the answer could not be matched with this handshake.
        guard head.method == .get, let key = Upgrade.value(of: Upgrade.keyField, headers, bytes),
            Base64.decode(bytes.slice(key))?.count == 16
        else { return nil }
        accept = Upgrade.accept(for: bytes.slice(key))
    }

    /// The handshake for a client that has sent an extended CONNECT (RFC 8441); nil where the route has no WebSockets.
    init?(extendedConnectTo route: Route) {
        guard let name = route.upgrade(named: Upgrade.webSocket.span) else { return nil }
        self.name = name
        ownKey = Base64.encode(SecureRandom.bytes(16).span)
        let key = ownKey
        accept = Upgrade.accept(for: key.span)
    }

    /// Writes the fields that ask for it. No other field of that kind is in a head of ours.
    func appendRequestFields(to chunk: Chunk) {
        appendFields(to: chunk)
        if !ownKey.isEmpty { HeadWriter.appendField(Upgrade.keyField.span, ownKey.span, to: chunk) }
    }

    /// Writes `Connection` and `Upgrade`.
    func appendFields(to chunk: Chunk) {
        HeadWriter.appendField("Connection", "Upgrade", to: chunk)
        HeadWriter.appendField("Upgrade", name.span, to: chunk)
    }

    /// Whether a field of the client's head makes place for one of ours.
    func replaces(_ field: HeaderField, _ bytes: Span<UInt8>) -> Bool {
        !ownKey.isEmpty && field.token == .other
            && ManagedName.isAlias(bytes.slice(field.name), of: Upgrade.keyField.span)
    }

    /// Whether a 101 agrees to this handshake and to no other: one that does not could come from an upstream that
    /// was made to say so, and goes on to read what follows as requests.
    func isAgreed(by headers: HeaderTable, _ bytes: Span<UInt8>) -> Bool {
        guard ConnectionOptions(headers, bytes).upgrade, headers.occurrences(.upgrade) == 1,
            let field = headers.value(.upgrade), bytesEqualIgnoringCase(bytes.slice(field), name.span)
        else { return false }
        if accept.isEmpty { return true }
        guard let value = Upgrade.value(of: Upgrade.acceptField, headers, bytes) else { return false }
        return bytesEqual(bytes.slice(value), accept.span)
    }

    /// Whether a field is part of the handshake alone, which a client of HTTP/2 has not made.
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

    /// The first protocol of the client's list that the route has: the list is in the client's order of preference.
    private static func choose(_ headers: HeaderTable, _ bytes: Span<UInt8>, _ route: Route) -> [UInt8]? {
        for i in 0..<headers.count where headers[i].token == .upgrade {
            var list = FieldList(headers[i].value)
            while let element = list.next(bytes) {
                if let name = route.upgrade(named: bytes.slice(element)) { return name }
            }
        }
        return nil
    }

    /// The value of a field that is there exactly once.
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
