import Endpoints
import HTTP
import Identity
import Model

/// The host that browsers log in at. Cookies belong to a host: a login that begins under another one would lose its
/// browser's half, or its session, where it goes on at `baseUrl`.
package struct LoginHost: Sendable {
    /// Called for each login that begins under another host, for the log.
    package typealias Observer = @Sendable (_ move: LoginMove, _ requestID: String) -> Void

    private let names: PublicNames
    private let observe: Observer

    package init(_ names: PublicNames, observe: @escaping Observer) {
        self.names = names
        self.observe = observe
    }

    /// The answer to a request for an endpoint under another host: the same at `baseUrl`, or a page for a browser that was
    /// just sent there, since a proxy in front of the gateway changes `Host`. Nil under a host of the gateway's own.
    package func answer(_ request: EndpointRequest) -> EndpointResponse? {
        guard request.method == .get || request.method == .head, let home = names.home(of: request.authority) else {
            return nil
        }
        let query = request.query.isEmpty ? "" : "?\(String(decoding: request.query, as: UTF8.self))"
        let target = ReturnTarget(ofRequest: request.path + query).text
        let held = BrowserRequest.values(of: .moved, request)
        let move = LoginMove(from: request.authority, to: home, target: target, held: held)
        observe(move, request.requestID)
        guard move.isSent else { return page(move) }
        return .redirect(
            302, to: move.url, reason: .ssoLoginAsked,
            fields: [(name: "Set-Cookie", value: move.cookie(secure: request.secure))])
    }

    private func page(_ move: LoginMove) -> EndpointResponse {
        let reason = Reason.loginHostForeign
        return Page.message(.text(.wrongHost), .text(.wrongHostDetail), isError: true, link: .home(move.url))
            .response(status: reason.status, reason: reason)
    }
}

extension Page.Link {
    /// To a URL of the gateway at the host that browsers log in at.
    static func home(_ url: String) -> Page.Link {
        let host = (try? WebURL(url))?.authority ?? url
        return Page.Link(.text(.goToHost, [.place: host]), to: url)
    }
}
