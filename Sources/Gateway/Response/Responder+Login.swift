import Bytes
import Endpoints
import HTTP
import Identity
import Model
import Policy

/// Browsers on their way to a login, and proxies whose browsers they are.
extension Responder {
    /// Allows a proxy to forward the request, with the fields for the upstream.
    func allow(_ exchange: Exchange, _ question: ForwardAuthQuestion, _ route: Route, _ bytes: Span<UInt8>) {
        exchange.response.reason = .forwardAuthAllowed
        let chunk = beginReply(exchange, status: 200, bodyLength: bytes.count)
        HeadWriter.appendStatusLine(200, to: chunk)
        let answer = ForwardAuthAnswer(exchange, route, requestHeaders)
        answer.append(bytes, to: chunk)
        if case .prefixed = question.form { answer.appendRemovals(bytes, to: chunk) }
        chunk.append("Cache-Control: no-store\r\n")
        let nothing: [UInt8] = []
        endReply(exchange, chunk, nothing.span)
    }

    /// The origin of the login form for a browser of another proxy.
    func loginOrigin(_ exchange: Exchange, _ bytes: Span<UInt8>) -> [UInt8] {
        let scheme = exchange.isSecure ? "https" : "http"
        let requested = "\(scheme)://\(String(copying: bytes.slice(exchange.head.authority)))"
        let origin = exchange.snapshot.names.origin(for: try? WebOrigin(requested))
        return origin.map { Array($0.description.utf8) } ?? []
    }

    /// Redirects a browser to the route's login instead of a challenge (SCH-02), under another host to `baseUrl`.
    /// - Parameter visited: the host that it comes back to; nil for the one where it logs in.
    func send(_ exchange: Exchange, toLogin location: [UInt8], from visited: VisitedHost?, _ bytes: Span<UInt8>) {
        let nothing: [UInt8] = []
        let (snapshot, path) = (exchange.snapshot, exchange.path)
        let host = String(copying: bytes.slice(exchange.head.authority))
        let home = snapshot.names.home(of: host)
        let isElsewhere = exchange.forwardAuth != nil || visited != nil
        var location = (isElsewhere ? loginOrigin(exchange, bytes) : []) + location
        var cookie = visited?.cookie(secure: exchange.isSecure)
        if !isElsewhere, let route = exchange.route, let home,
            let isThere = snapshot.policy.routes.hasLogin(
                of: route, at: home.authority, path: path.readable, bytes: bytes, head: exchange.head,
                headers: requestHeaders)
        {
            let held = Cookies.values(of: BrowserCookie.moved.name(secure: exchange.isSecure), requestHeaders, bytes)
            let move = LoginMove(
                from: host, to: home, target: ReturnTarget(of: exchange.head, bytes).text,
                held: held.map { String(copying: bytes.slice($0)) }, isThere: isThere)
            shared.log.write(move, requestID: exchange.requestIDText)
            guard move.isSent else {
                let foreign = Reason.loginHostForeign
                exchange.response.reason = foreign
                counters.count(foreign)
                let chunk = beginReply(exchange, status: foreign.status, bodyLength: 0)
                HeadWriter.appendStatusLine(foreign.status, to: chunk)
                return endError(exchange, chunk, foreign.body.span, asPage: true, home: move.url)
            }
            (location, cookie) = (Array(move.url.utf8), move.cookie(secure: exchange.isSecure))
        }
        let chunk = beginReply(exchange, status: 302, bodyLength: location.count)
        HeadWriter.appendStatusLine(302, to: chunk)
        HeadWriter.appendField("Location", location.span, to: chunk)
        if let cookie { HeadWriter.appendField("Set-Cookie", cookie.utf8.span, to: chunk) }
        chunk.append("Cache-Control: no-store\r\n")
        endReply(exchange, chunk, nothing.span)
    }
}

extension GatewaySnapshot {
    /// Where browsers log in that have asked a host which a route names, and then come back by a code; nil for a host where they
    /// log in. A code must reach no one but the gateway: not in the clear, nor at a port or a host of a pattern, which may be those
    /// of others.
    ///
    /// - Parameters:
    ///   - authority: as in `Host`.
    ///   - secure: whether the browser's connection is encrypted.
    package func loginHome(of route: Route, at authority: String, secure: Bool) -> WebOrigin? {
        guard let home = names.home(of: authority), home.isSecure == secure,
            let place = try? WebOrigin("\(secure ? "https" : "http")://\(authority)"), place.port == home.port,
            route.entry.hosts.contains(where: { !$0.isWildcard && $0.fits(place.host) })
        else { return nil }
        return home
    }

    /// The host of a page whose browsers come back by a code; nil for another one, and behind another proxy, which sends them to
    /// `baseUrl` itself.
    func visitedHost(of exchange: Exchange, _ headers: HeaderTable, _ bytes: Span<UInt8>) -> VisitedHost? {
        guard exchange.forwardAuth == nil, let route = exchange.route, !route.entry.hosts.isEmpty else { return nil }
        let host = String(copying: bytes.slice(exchange.head.authority))
        guard loginHome(of: route, at: host, secure: exchange.isSecure) != nil else { return nil }
        let held = Cookies.values(of: BrowserCookie.visit.name(secure: exchange.isSecure), headers, bytes)
        return VisitedHost(
            authority: host, secure: exchange.isSecure, held: held.map { String(copying: bytes.slice($0)) })
    }
}
