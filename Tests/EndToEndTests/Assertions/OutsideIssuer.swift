import Crypto
import Foundation
import JOSE
import Model
import Testing

/// `https://idp.example.com`: signs tokens with the key of a certificate, or with one that it publishes.
final class OutsideIssuer: Sendable {
    static let name = "https://idp.example.com"
    static let subject = "CN=idp.example.com, O=Example"

    /// PEM.
    let certificate: String
    let signer: JWTSigner

    init() throws {
        let directory = try ConfigurationDirectory()
        let made = try Program.run(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                "/O=Example/CN=idp.example.com", "-keyout", "key.pem", "-out", "cert.pem",
            ], directory: directory.path)
        try #require(made.ending == .exit(0), "\(made.errors)")
        certificate = try directory.read("cert.pem")
        signer = JWTSigner(
            key: try SigningKey(pem: try directory.read("key.pem"), algorithm: .es256), keyID: "first")
    }

    /// `certificates.json` with its certificate.
    var store: String {
        #"[{"alias": "idp", "pem": "\#(certificate.replacing("\n", with: "\\n"))"}]"#
    }

    var keySet: String { String(decoding: KeySet(keys: [signer.publishedKey]).jwks(), as: UTF8.self) }

    /// A token of joe for ten minutes; members replace and add claims, as JSON without braces. `null` removes one.
    func token(_ members: String = "", issuer: String = name, signer other: JWTSigner? = nil) throws -> String {
        let data = Data("{\(members)}".utf8)
        let changes = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        var claims: [String: Any] = [
            "iss": issuer, "sub": "joe", "exp": Int(Date().timeIntervalSince1970) + 600,
            "aud": "http://gw.example.com/mobile",
        ]
        for (name, value) in changes { claims[name] = value is NSNull ? nil : value }
        let text = try JSONSerialization.data(withJSONObject: claims)
        return String(decoding: (other ?? signer).sign(claims: Array(text)), as: UTF8.self)
    }

    /// An issuer of the configuration with the certificate's key, and these members, as JSON without braces.
    static func entry(_ members: String = "", name: String = name) -> String {
        #"{"issuerName": "\#(name)", "certificateSubjectNames": ["\#(subject)"]\#(members.isEmpty ? "" : ", ")\#(members)}"#
    }

    /// The whole configuration of these issuers.
    static func configuration(_ issuers: String..., more: String = "") -> String {
        #"{"issuers": [\#(issuers.joined(separator: ", "))]\#(more.isEmpty ? "" : ", ")\#(more)}"#
    }

    /// `policies.json` with it.
    static func policies(_ configuration: String) -> String {
        #"{"Security_AuthTokenConfiguration": \#(configuration)}"#
    }
}

extension Fixture {
    /// A gateway that exchanges tokens as this configuration says.
    convenience init(
        exchanging configuration: String, _ issuer: OutsideIssuer, files: [String: String] = [:],
        _ change: (inout FixtureSettings) -> Void = { _ in }
    ) throws {
        let own = [
            "policies.json": OutsideIssuer.policies(configuration), "certificates.json": issuer.store,
        ]
        try self.init(files: own.merging(files) { $1 }, change)
    }

    /// The answer of the exchange endpoint.
    func exchange(
        _ assertion: String, _ fields: [Field] = [.basic("inv-client:inv-secret")], with form: [(String, String)] = [],
        type: String = "application/x-www-form-urlencoded"
    ) throws -> Response {
        let all = [("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", assertion)] + form
        let body = all.map { "\($0.0)=\($0.1.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")" }
        return try request(
            "POST", "/mobile/platform/auth/token", fields + ["Content-Type: \(type)"],
            body: body.joined(separator: "&"))
    }
}
