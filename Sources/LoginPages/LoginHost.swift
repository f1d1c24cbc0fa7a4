import Bytes
import Endpoints
import HTTP
import Identity
import Model

/// The host that browsers log in at. Cookies belong to a host: a login that begins under another one would lose its
/// browser's half, or its session, where it goes on at `baseUrl`.
package struct LoginHost: Sendable {
    /// A login that begins under another host.
    package struct Change: Sendable {
        /// What the browser asked, as in `Host`.
        package let requested: String
        package let home: WebOrigin
        /// Of the answer.
        package let status: Int
        package let requestID: String
    }

    /// Called with each of them, for the log.
    package typealias Observer = @Sendable (Change) -> Void

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
        let mark = BrowserCookie.mark(of: target)
        let isBack = BrowserRequest.has(mark, in: .moved, request)
        let response = isBack ? page(home, target) : redirect(home, target, mark: mark, secure: request.secure)
        observe(
            Change(
                requested: request.authority, home: home, status: response.status, requestID: request.requestID))
        return response
    }

    private func redirect(
        _ home: WebOrigin, _ target: String, mark: String, secure: Bool
    ) -> EndpointResponse {
        let cookie = BrowserCookie.moved.setting(mark, secure: secure, seconds: BrowserCookie.movedSeconds)
        return .redirect(
            302, to: "\(home)\(target)", reason: .ssoLoginAsked, fields: [(name: "Set-Cookie", value: cookie)])
    }

    private func page(_ home: WebOrigin, _ target: String) -> EndpointResponse {
        let reason = Reason.loginHostForeign
        return Page.message(.text(.wrongHost), .text(.wrongHostDetail), isError: true, link: .home("\(home)\(target)"))
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
