import Foundation
import Testing

extension CookieJar {
    /// Names of the cookies of logins at SAML providers that have not ended.
    var loginsUnderWay: [String] { cookies.map(\.name).filter { $0.hasPrefix("portcullis-to-") } }
}

/// A SAML identity provider that others wrote, `Tests/Interop/saml_login_provider.py`, and a gateway whose browsers log in there.
final class SAMLLoginProvider: Sendable {
    /// A form of the provider's page, as a browser sends it on.
    struct Form {
        var action: String
        var fields: [(name: String, value: String)]

        var body: String {
            fields.map { field in
                "\(field.name)=\(field.value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
            }.joined(separator: "&")
        }

        subscript(_ name: String) -> String? { fields.first { $0.name == name }?.value }
    }

    enum Failure: Error { case didNotStart(String) }

    static let callback = "/oauth2/callback/outside"
    /// Where answers are posted.
    static let consumer = "/oauth2/saml/outside/acs"

    /// Entity id, and the address: for browsers another site than the gateway's.
    let issuer: String
    let base: String
    let directory: ConfigurationDirectory
    private let program: Program
    private let port: UInt16
    private let controlPort: UInt16

    init() throws {
        directory = try ConfigurationDirectory()
        let script = Vectors.root.appending(path: "Tests/Interop/saml_login_provider.py").path
        program = try Program(LoginProvider.python ?? "", [script, directory.path])
        let lines = program.wait(.output, .after(.seconds(120))) { $0.count >= 2 ? $0 : nil } ?? []
        let ports = lines.compactMap { line in
            line.wholeMatch(of: /(issuer|control) http:\/\/[a-z0-9.]+:(\d+).*/).flatMap { UInt16($0.2) }
        }
        guard ports.count == 2 else {
            throw Failure.didNotStart(program.lines(.errors).joined(separator: "\n"))
        }
        (port, controlPort) = (ports[0], ports[1])
        base = "http://localhost:\(port)"
        issuer = "\(base)/metadata"
    }

    /// What stands in every entry of it.
    var entry: String {
        """
        "kind": "saml", "metadataFile": "\(directory.path)/idp.xml", "allowHttp": true, \
        "signingKeyFile": "\(directory.path)/gateway.key", "signingCertificateFile": "\(directory.path)/gateway.pem"
        """
    }

    static let users =
        #""roleAttributes": ["groups"], "roleMappings": [{"tokenRole": "clerks", "mappedRoles": ["Clerk"]}]"#

    /// A gateway that knows it by the name `outside`, and that it knows.
    func gateway(
        _ more: String = SAMLLoginProvider.users, domain: String = "",
        _ change: @escaping (inout FixtureSettings) -> Void = { _ in }
    ) throws -> Fixture {
        let fixture = try LoginProvider.gateway("\(entry), \(more)", domain: domain, change)
        try introduce(fixture)
        return fixture
    }

    /// Gives it the metadata of the gateway.
    @discardableResult
    func introduce(_ fixture: Fixture) throws -> JSONText {
        let metadata = try fixture.request("GET", "/oauth2/saml/outside/metadata")
        try #require(metadata.status == 200, "\(metadata.text)")
        return try control("gateway", metadata.text)
    }

    func control(_ command: String, _ body: String) throws -> JSONText {
        let answer = try RawConnection.once(port: controlPort, "POST", "/\(command)", [], body: body)
        try #require(answer.status == 200, "\(answer.text)")
        return JSONText(answer.text)
    }

    // MARK: A browser's way

    /// From a page of the gateway to where it sends the browser.
    func begin(_ jar: CookieJar, _ target: String = "/mobileapp") throws -> String {
        let page = try jar.send("GET", target)
        let place = try #require(page.only("Location"), "\(page.status) \(page.text)")
        guard place.hasPrefix("/") else { return place }
        return try #require(try jar.send("GET", place).only("Location"))
    }

    /// What the provider answers to a request.
    /// - Parameter wrong: what is wrong with it.
    func answer(_ location: String, user: String = "ann", wrong: String = "") throws -> Form {
        try #require(location.hasPrefix("\(base)/sso?"), "\(location)")
        _ = try control("next", #"{"user": "\#(user)", "case": "\#(wrong)"}"#)
        let page = try RawConnection.once(port: port, "GET", String(location.dropFirst(base.utf8.count)))
        let action = try #require(page.text.firstMatch(of: /action="([^"]*)"/), "\(page.status) \(page.text)").1
        let fields = page.text.matches(of: /type=hidden name=(\w+) value="([^"]*)"/).map {
            (name: String($0.1), value: String($0.2))
        }
        return Form(action: String(action), fields: fields)
    }

    /// What the gateway says to the form, which comes of another site and so without its cookies.
    func post(_ form: Form, _ fixture: Fixture) throws -> Response {
        try fixture.request(
            "POST", Self.consumer,
            ["Origin: \(base)", "Sec-Fetch-Site: cross-site", "Content-Type: application/x-www-form-urlencoded"],
            body: form.body)
    }

    /// Goes on where the form was answered with.
    func follow(_ jar: CookieJar, _ posted: Response) throws -> Response {
        let location = try #require(posted.only("Location"), "\(posted.status) \(posted.text)")
        try #require(posted.status == 303 && location.hasPrefix("\(Self.callback)?"), "\(location)")
        return try jar.send("GET", location)
    }

    /// All of it.
    func logIn(
        _ jar: CookieJar, _ fixture: Fixture, _ target: String = "/mobileapp", user: String = "ann", wrong: String = ""
    ) throws -> Response {
        try follow(jar, post(answer(begin(jar, target), user: user, wrong: wrong), fixture))
    }
}
