import Bytes
import HTTP
import Model
import Policy

/// The fields with which another proxy forwards an allowed request: those that the gateway would send to the route's
/// upstream instead of the client's.
struct ForwardAuthAnswer {
    private let exchange: Exchange
    private let route: Route
    /// Fields of the described request.
    private let headers: HeaderTable

    init(_ exchange: Exchange, _ route: Route, _ headers: HeaderTable) {
        self.exchange = exchange
        self.route = route
        self.headers = headers
    }

    /// Appends the field lines. Fields without a value are omitted.
    ///
    /// - Parameter bytes: the buffer of the described request.
    func append(_ bytes: Span<UInt8>, to chunk: Chunk) {
        HeaderRewrite.appendIdentity(exchange, to: chunk)
        HeaderRewrite.appendCertificate(exchange, to: chunk)
        if let policy = exchange.response.policy { chunk.append(policy.fields) }
        if let own = route.requestFields { HeaderRewrite.append(own, exchange, to: chunk) }
        HeaderRewrite.append(exchange.token, route.injections, to: chunk)
        if route.passesCredential {
            for i in 0..<headers.count where passes(headers[i], bytes) {
                switch headers[i].token {
                case .authorization: HeadWriter.appendField("Authorization", bytes.slice(headers[i].value), to: chunk)
                case .dpop: HeadWriter.appendField("DPoP", bytes.slice(headers[i].value), to: chunk)
                default: break
                }
            }
        }
        appendCookies(bytes, to: chunk)
    }

    /// Appends the list of fields that Envoy removes from the request: those that the answer would have with another caller,
    /// and received ones that are for the gateway.
    func appendRemovals(_ bytes: Span<UInt8>, to chunk: Chunk) {
        let fields = Chunk(capacity: 1024)
        append(bytes, to: fields)
        let written = fields.readable
        chunk.append("X-Envoy-Auth-Headers-To-Remove: ")
        var isFirst = true
        func remove(_ name: Span<UInt8>) {
            if RequestText.field(Array(copying: name), in: written) != nil { return }
            if !isFirst { chunk.append(", ") }
            isFirst = false
            chunk.append(name)
        }
        for name in ForwardAuthAnswer.managed { remove(name.span) }
        if !route.passesCredential { for name in ForwardAuthAnswer.credentials { remove(name.span) } }
        for name in route.requestFields?.names ?? [] { remove(name.span) }
        for name in route.policyServers.answerHeaders { remove(Array(name.utf8).span) }
        for i in 0..<headers.count where isWithheld(headers[i], bytes) { remove(bytes.slice(headers[i].name)) }
        chunk.append("\r\n")
    }

    private static let managed = [
        "X-Gateway-User", "X-Gateway-Issuer", "X-Gateway-Roles", "X-Gateway-Backend",
        "X-Gateway-Consumer", "X-Gateway-Client", "X-Gateway-Client-Subject",
        "X-Gateway-Client-Names",
        "X-Gateway-Client-Fingerprint", "Cookie", "Forwarded", "X-Forwarded-Port", "X-Forwarded-Prefix",
    ].map { Array($0.utf8) }

    private static let credentials = CallerFields.credentials.map { Array($0.utf8) }

    /// Fields that proxies set themselves.
    private static let ofProxies = ["X-Forwarded-Server", "X-Real-IP", "X-Request-Id", "X-API-Key"].map {
        Array($0.utf8)
    }

    /// Whether proxies replace or remove a field of this name for a route, as the documentation says.
    static func isReplaced(_ name: Span<UInt8>, _ route: Route) -> Bool {
        for own in managed + credentials + ofProxies + (route.requestFields?.names ?? []) {
            if bytesEqualIgnoringCase(name, own.span) { return true }
        }
        return route.injections.contains { bytesEqualIgnoringCase(name, $0.headerName.span) }
    }

    /// Whether the gateway would not forward a received field. Envoy's own fields are left to Envoy.
    private func isWithheld(_ field: HeaderField, _ bytes: Span<UInt8>) -> Bool {
        if !route.entry.options.forwardsCredential, route.tokenSources?.isSource(field, bytes) == true { return true }
        let name = bytes.slice(field.name)
        for rule in route.injections where ManagedName.isAlias(name, of: rule.headerName.span) { return true }
        let isOfEnvoy = name.count > 8 && bytesEqualIgnoringCase(name.extracting(first: 8), "x-envoy-".utf8.span)
        return !isOfEnvoy && exchange.snapshot.managedNames.contains(field, bytes)
    }

    private func passes(_ field: HeaderField, _ bytes: Span<UInt8>) -> Bool {
        route.requestFields.map { !$0.drops(field, bytes) } ?? true
    }

    /// Appends the client's cookies in one field, without those that are for the gateway (GW-09).
    private func appendCookies(_ bytes: Span<UInt8>, to chunk: Chunk) {
        var isFirst = true
        for i in 0..<headers.count where headers[i].token == .cookie && passes(headers[i], bytes) {
            let start = chunk.count
            chunk.append(isFirst ? "Cookie: " : "; ")
            if Cookies.append(headers[i].value, without: route.ownCookies, bytes, to: chunk) {
                isFirst = false
            } else {
                chunk.truncate(to: start)
            }
        }
        if !isFirst { chunk.append("\r\n") }
    }
}
