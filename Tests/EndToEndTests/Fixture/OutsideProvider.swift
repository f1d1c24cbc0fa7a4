import Foundation

/// An OIDC provider that others wrote, `Tests/Interop/oidc_provider.py`, whose keys a test changes and which it lets go
/// away and come back.
final class OutsideProvider: Sendable {
    enum Failure: Error { case didNotStart(String), noToken(String), noKey(String) }

    /// An interpreter that has the library; `deploy/test` makes one.
    static let python = ProcessInfo.processInfo.environment["PORTCULLIS_PYTHON"]

    let issuer: String
    private let program: Program
    private let port: UInt16
    private let controlPort: UInt16

    init() throws {
        let script = Vectors.root.appending(path: "Tests/Interop/oidc_provider.py").path
        program = try Program(Self.python ?? "", [script])
        let lines = program.wait(.output, .after(.seconds(60))) { $0.count >= 2 ? $0 : nil }
        guard let lines, let issuer = lines[0].wholeMatch(of: /issuer (.*:(\d+))/),
            let control = lines[1].wholeMatch(of: /control .*:(\d+)/), let port = UInt16(issuer.2),
            let controlPort = UInt16(control.1)
        else { throw Failure.didNotStart(program.lines(.errors).joined(separator: "\n")) }
        self.issuer = String(issuer.1)
        self.port = port
        self.controlPort = controlPort
    }

    /// A token of the client credentials grant.
    func token() throws -> String {
        let response = try RawConnection.once(
            port: port, "POST", "/token",
            [.basic("app:app-secret"), "Content-Type: application/x-www-form-urlencoded"],
            body: "grant_type=client_credentials")
        guard let token = JSONText(response.text)["access_token"].string else { throw Failure.noToken(response.text) }
        return token
    }

    @discardableResult
    private func control(_ command: String) throws -> JSONText {
        JSONText(try RawConnection.once(port: controlPort, "POST", "/\(command)", [], body: "").text)
    }

    private func key(_ command: String) throws -> String {
        let answer = try control(command)
        guard let name = answer["kid"].string else { throw Failure.noKey("\(answer)") }
        return name
    }

    /// Publishes another key and answers its name. The one before signs until `sign`.
    func publish() throws -> String { try key("publish") }
    /// The key that was published last signs from now on.
    func sign() throws { _ = try key("sign") }
    /// All keys but the one that signs are gone.
    func drop() throws { _ = try key("drop") }
    /// Closes the port, until `comeBack`.
    func goAway() throws { try control("down") }
    func comeBack() throws { try control("up") }

    /// How often the discovery document and the keys were asked for.
    func fetches() throws -> (discovery: Int, keys: Int) {
        let counts = try control("count")
        return (counts["discovery"].integer ?? -1, counts["keys"].integer ?? -1)
    }

    /// An entry of `trustedIssuers` for it.
    func entry(_ members: String = "") -> String {
        """
        {"name": "outside", "issuer": "\(issuer)", "audience": ["api"], "allowHttp": true,
         "discoveryUri": "\(issuer)/.well-known/openid-configuration"\(members.isEmpty ? "" : ", " + members)}
        """
    }
}
