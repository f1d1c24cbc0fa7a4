import Endpoints
import Foundation
import HTTP
import Identity
import MobileSocial
import Model
import TestSupport

/// A browser at the forms of service domains and of single sign-on: keeps cookies, and sends what the page has in its form.
final class Browser {
    static let form = "/oic_rest/mobilesso"

    let service: Families
    var secure = true
    /// Where it is; nil where that is unknown.
    var address: IPAddress?
    /// Host and port that it asks.
    var authority = ""
    /// Whether each cookie comes in a field of its own.
    var splitsCookies = false
    /// By name.
    var cookies: [String: String] = [:]
    /// What the last page had.
    private(set) var action = ""
    private(set) var hidden: [(String, String)] = []

    init(_ service: Families) { self.service = service }
    convenience init(_ mobile: Mobile) { self.init(mobile.service) }

    static func query(
        domain: String = "MobileServiceDomain", target: String? = "/mobileapp?a=b", level: Int = 2,
        at seconds: Int64 = 0
    ) -> String {
        let sealed = target.flatMap { ReturnTarget($0) }.map {
            "&target=" + Mobile.seals.seal(RequestedPage($0, level: level), now: Mobile.start + seconds)
        }
        return "serviceDomain=\(domain)\(sealed ?? "")"
    }

    @discardableResult
    func get(
        _ path: String = form, query: String = query(), endpoint: EndpointDescriptor = .browserLogin,
        fields: [(name: String, value: String)] = [], at seconds: Int64 = 0
    ) -> EndpointResponse {
        send(.get, path, query, nil, endpoint, fields, seconds)
    }

    /// Sends the form of the last page.
    @discardableResult
    func submit(
        _ typed: [(String, String)], endpoint: EndpointDescriptor = .browserLogin, at seconds: Int64 = 0
    ) -> EndpointResponse {
        submitting(hidden, typed, endpoint: endpoint, at: seconds)
    }

    /// Sends the form of the last page with other hidden fields.
    @discardableResult
    func submitting(
        _ hidden: [(String, String)], _ typed: [(String, String)], to target: String? = nil,
        endpoint: EndpointDescriptor = .browserLogin, fields: [(name: String, value: String)] = [],
        at seconds: Int64 = 0
    ) -> EndpointResponse {
        let parts = (target ?? action).split(separator: "?", maxSplits: 1).map(String.init)
        return send(
            .post, parts.first ?? "", parts.count > 1 ? parts[1] : "", Browser.form(hidden + typed), endpoint, fields,
            seconds)
    }

    /// Sends a form that a page of another site has: without cookies, which are `Lax`.
    func postFromElsewhere(
        _ path: String, query: String = "", _ fields: [(String, String)], endpoint: EndpointDescriptor,
        at seconds: Int64 = 0
    ) -> EndpointResponse {
        let held = cookies
        cookies = [:]
        defer { cookies.merge(held) { $1 } }
        return send(.post, path, query, Browser.form(fields), endpoint, [], seconds)
    }

    @discardableResult
    func logIn(_ user: String = "joe", _ password: String = "Welcome1", at seconds: Int64 = 0) -> EndpointResponse {
        submit([("username", user), ("password", password)], at: seconds)
    }

    var session: String? { cookies[name("portcullis-form")] }
    func name(_ plain: String) -> String { secure ? "__Host-\(plain)" : plain }

    static func form(_ fields: [(String, String)]) -> String {
        fields.map { "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")" }
            .joined(separator: "&")
    }

    private func send(
        _ method: HTTP.Method, _ path: String, _ query: String, _ body: String?, _ endpoint: EndpointDescriptor,
        _ more: [(name: String, value: String)], _ seconds: Int64
    ) -> EndpointResponse {
        var fields = more
        if !cookies.isEmpty {
            let value = cookies.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: "; ")
            let pieces = splitsCookies ? value.components(separatedBy: "; ") : [value]
            fields += pieces.map { (name: "cookie", value: $0) }
        }
        var request = EndpointRequest(
            method: method, path: path, query: Array(query.utf8),
            contentType: body == nil ? nil : "application/x-www-form-urlencoded", body: Array((body ?? "").utf8),
            secure: secure, address: address, fields: fields)
        request.authority = authority
        let response = service.handle(request, endpoint: endpoint, now: Mobile.start + seconds).settled()
        read(response)
        return response
    }

    private func read(_ response: EndpointResponse) {
        for (name, value) in response.headers where name == "Set-Cookie" {
            let pair = value.split(separator: ";")[0].split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            cookies[String(pair[0])] = value.contains("Max-Age=0") ? nil : String(pair[1])
        }
        let html = response.text
        action = html.firstMatch(of: /action="([^"]*)"/).map { String($0.1).replacing("&amp;", with: "&") } ?? ""
        hidden = html.matches(of: /type="hidden" name="([^"]*)" value="([^"]*)"/).map { (String($0.1), String($0.2)) }
    }
}

extension EndpointResponse {
    func field(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}
