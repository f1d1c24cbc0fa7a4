import Bytes

/// Id and secret as a request brings them: by `Authorization: Basic`, or by `client_id` and `client_secret` in the form
/// (RFC 6749 section 2.3.1), and never by both.
package struct PresentedSecret {
    package struct Pair {
        package let id: [UInt8]
        package let secret: [UInt8]

        /// Whether form decoding would make something else of it.
        fileprivate var isEncoded: Bool {
            (id + secret).contains { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }
        }
    }

    /// The ways in which it can be read. RFC 6749 has id and secret form-encoded before Base64; most clients, `curl -u`
    /// among them, send them plain.
    let readings: [Pair]
    /// `client_id` beside a Basic field.
    private let named: String?

    /// - Parameters:
    ///   - authorization: the values of all `Authorization` fields.
    ///   - schemes: those of the field that are taken, in lower case and with the blank behind them.
    package init(
        _ authorization: [String], _ form: TokenForm, schemes: [String] = ["basic "]
    ) throws(TokenFailure) {
        guard authorization.count <= 1 else { throw .repeatedAuthorization }
        guard let field = authorization.first else {
            guard let id = form["client_id"], let secret = form["client_secret"] else { throw .invalidClient }
            readings = [Pair(id: Array(id.utf8), secret: Array(secret.utf8))]
            named = nil
            return
        }
        // X15: two methods in one request, whether they agree or not.
        guard form["client_secret"] == nil else { throw .twoCredentials }
        guard let plain = PresentedSecret.pair(field, schemes) else { throw .invalidClient }
        var readings = [plain]
        if plain.isEncoded, let id = TokenForm.decode(plain.id), let secret = TokenForm.decode(plain.secret) {
            readings.append(Pair(id: id, secret: secret))
        }
        self.readings = readings
        named = form["client_id"]
    }

    /// X16: a bare `client_id` that agrees is no second method.
    package func check(clientID: String) throws(TokenFailure) {
        if let named, !named.isExactly(clientID) { throw .conflictingClientID }
    }

    /// User and password of a Basic field, split at the first colon (RFC 7617 section 2).
    package static func pair(_ field: String, _ schemes: [String] = ["basic "]) -> Pair? {
        let field = Array(field.utf8)
        let scheme = schemes.map { Array($0.utf8) }.first { field.prefix($0.count).map(ASCII.lowercased) == $0 }
        guard let scheme, field.count > scheme.count else { return nil }
        let text = Array(field[scheme.count...].drop { $0 == ASCII.space })
        guard let pair = Base64.decode(text.span), let colon = pair.firstIndex(of: ASCII.colon) else { return nil }
        return Pair(id: Array(pair[..<colon]), secret: Array(pair[(colon + 1)...]))
    }
}
