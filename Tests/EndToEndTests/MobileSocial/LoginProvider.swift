import Foundation
import Glibc
import Model
import Testing

/// An identity provider that others wrote, `Tests/Interop/login_provider.py`, and a gateway whose browsers log in there.
final class LoginProvider: Sendable {
    enum Kind: String {
        /// oidc-provider-mock, on Authlib.
        case mock
        case idpyoidc
        case django
        case canaille
        case glewlwyd
    }

    enum Failure: Error { case didNotStart(String) }

    /// An interpreter that has the libraries; `deploy/test` makes one.
    static let python = ProcessInfo.processInfo.environment["PORTCULLIS_PYTHON"]

    let issuer: String
    private let program: Program
    private let port: UInt16
    private let controlPort: UInt16

    init(_ kind: Kind) throws {
        let script = Vectors.root.appending(path: "Tests/Interop/login_provider.py").path
        program = try Program(Self.python ?? "", [script, kind.rawValue])
        let wanted = kind == .mock ? 1 : 2
        let lines = program.wait(.output, .after(.seconds(60))) { $0.count >= wanted ? $0 : nil } ?? []
        let ports = lines.compactMap { line in
            line.wholeMatch(of: /(issuer|control) .*:(\d+).*/).flatMap { UInt16($0.2) }
        }
        guard ports.count >= wanted else {
            throw Failure.didNotStart(program.lines(.errors).joined(separator: "\n"))
        }
        port = ports[0]
        controlPort = ports.last ?? 0
        issuer = String(lines[0].dropFirst("issuer ".count))
    }

    /// Products have files and processes of their own.
    deinit {
        program.signal(SIGTERM)
        _ = program.waitForEnd()
    }

    var controlURL: String { "http://127.0.0.1:\(controlPort)" }

    /// A gateway that knows it by the name `outside`, and by its own name what port it has.
    /// - Parameters:
    ///   - client: how the gateway shows who it is.
    ///   - users: who its users are.
    func gateway(
        client: String, users: String, domain: String = ""
    ) throws -> Fixture {
        try Self.gateway(
            #""issuer": "\#(issuer)", "allowHttp": true, "clientId": "gateway", \#(client), \#(users)"#, domain: domain)
    }

    /// A gateway whose browsers log in at a provider of the name `outside`.
    /// - Parameter entry: members of the provider's entry.
    static func gateway(
        _ entry: String, domain: String = "", environment: [String: String] = [:],
        _ more: @escaping (inout FixtureSettings) -> Void = { _ in }
    ) throws -> Fixture {
        let prepare = { (settings: inout FixtureSettings) in
            BrowserFixture.prepare(&settings)
            settings["identityProviders"] = """
                [{"name": "local", "kind": "local"}, {"name": "outside", \(entry)}]
                """
            settings["serviceDomains"] = """
                {"MobileServiceDomain": {
                  "authentication": {"type": "relyingParty", "level": 2, "provider": "outside"\(domain)},
                  "applications": {"DemoApp": {"backend": "inventory/1.0", "urlScheme": "demoapp"}}}}
                """
            settings["webgates"] = """
                [{"name": "MobileWG", "authenticationScheme": "FormScheme", "injection": {"issuer": "local"},
                  "userDefinedParameters": {"User-Agent": "OAMMS-Agent"}, "userAgentMismatch": "redirect"}]
                """
            settings["authenticationSchemes"] = """
                [{"name": "FormScheme", "authenticationLevel": 2, "challengeMethod": "FORM",
                  "challengeUrl": "/mobilesso?serviceDomain=MobileServiceDomain"}]
                """
            settings["routes"] = FixtureSettings.list([
                #"{"path": "/mobileapp", "upstream": "stub", "webgate": "MobileWG", "backends": ["inventory/1.0"]}"#
            ])
            more(&settings)
        }
        let fixture = try Fixture(environment: environment) { prepare(&$0) }
        let own = "http://127.0.0.1:\(try fixture.gateway.port())"
        // Where browsers come back to is known only now.
        try fixture.reload {
            prepare(&$0)
            $0["baseUrl"] = "\"\(own)\""
        }
        return fixture
    }

    /// A gateway as without the families of endpoints, whose browsers log in at a provider of the name `outside`.
    static func plainGateway(
        _ entry: String, environment: [String: String] = [:], _ more: @escaping (inout FixtureSettings) -> Void
    ) throws -> Fixture {
        try gateway(entry, environment: environment) {
            for section in ["serviceDomains", "webgates", "authenticationSchemes"] { $0[section] = nil }
            $0["backends"] = FixtureSettings.backends.replacing(#", "enableSso": true"#, with: "")
            more(&$0)
        }
    }

    /// What the provider answers to a URL of its own, with what is typed into its form, if it has one: where it sends the
    /// browser.
    func visit(_ location: String, typing form: String?) throws -> String {
        let target = String(location.dropFirst(issuer.utf8.count))
        try #require(location.hasPrefix("\(issuer)/"), "\(location)")
        let fields: [Field] = form == nil ? [] : ["Content-Type: application/x-www-form-urlencoded"]
        let answer = try RawConnection.once(port: port, form == nil ? "GET" : "POST", target, fields, body: form)
        return try #require(answer.only("Location"), "\(answer.status) \(answer.text)")
    }

    /// The whole way of a browser from a page of the gateway to the provider and back, up to the callback.
    func logIn(
        _ jar: CookieJar, _ target: String = "/mobileapp", typing form: String?
    ) throws -> (callback: String, answer: Response) {
        let page = try jar.send("GET", target)
        let place = try #require(page.only("Location"), "\(page.status) \(page.text)")
        // A page leads to the form of its scheme, and that to the provider.
        let sent = place.hasPrefix("/") ? try jar.send("GET", place) : page
        let authorize = try #require(sent.only("Location"), "\(sent.status) \(sent.text)")
        let back = try visit(authorize, typing: form)
        let callback = try #require(URL(string: back))
        let request = "\(callback.path)?\(callback.query ?? "")"
        return (request, try jar.send("GET", request))
    }

    @discardableResult
    func control(_ command: String, _ body: String = "") throws -> JSONText {
        JSONText(try RawConnection.once(port: controlPort, "POST", "/\(command)", [], body: body).text)
    }
}
