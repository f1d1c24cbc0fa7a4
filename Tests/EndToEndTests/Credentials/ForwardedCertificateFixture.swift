import Foundation
import Testing

/// A gateway that takes certificates of clients from the field of a proxy, and certificates of an authority.
struct ForwardedCertificateFixture {
    let certificates: ConfigurationDirectory
    let gateway: SecureFixture

    /// - Parameters:
    ///   - format: the value of `format`.
    ///   - more: further members of the settings.
    ///   - trusted: addresses of proxies.
    init(
        _ format: String = "xfcc", more: String = "", trusted: String = "127.0.0.1",
        _ change: (inout FixtureSettings) -> Void = { _ in }
    ) throws {
        let certificates = try ConfigurationDirectory()
        self.certificates = certificates
        try SecureFixture.makeCertificate("authority", "DNS:authority.test", in: certificates)
        try SecureFixture.makeCertificate("stranger", "DNS:stranger.test", in: certificates)
        try TLSClientTests.issue(
            "billing", by: "authority", subject: "/O=Example/CN=billing",
            alternativeNames: "DNS:a.example,URI:spiffe://example.com/billing", serial: "0x0A", in: certificates)
        try TLSClientTests.issue("nobody", by: "authority", serial: "0x0B", in: certificates)
        try TLSClientTests.issue(
            "forged", by: "stranger", subject: "/O=Example/CN=billing", serial: "0x0C", in: certificates)
        let field = """
            "clientCertificateField": {"format": "\(format)", "caFile": "\(certificates.path)/authority/cert.pem",
              \(more) "users": [{"subject": "CN=billing,O=Example", "user": "billing", "roles": ["Clerk"]}]}
            """
        gateway = try SecureFixture(
            tls: #""clientAuth": "optional", "clientCaFile": "\#(certificates.path)/authority/cert.pem", "#
        ) { settings in
            settings["trustedProxies"] = #"["\#(trusted)"]"#
            settings["listeners"] = settings["listeners"]?
                .replacing(#""http2": true}"#, with: #""http2": true, \#(field)}"#)
                .replacing(#""name": "secure","#, with: #""name": "secure", \#(field),"#)
            settings.addRoutes(
                #"{"path": "/by", "upstream": "stub", "certificateLogin": true, "roles": ["Clerk"]}"#,
                #"{"path": "/any", "upstream": "stub", "public": true, "clientCertificate": true}"#,
                #"{"path": "/xfcc", "upstream": "stub", "public": true, "forwardClientCertificate": "xfcc"}"#,
                #"{"path": "/standard", "upstream": "stub", "public": true, "forwardClientCertificate": "client-cert"}"#,
                #"{"path": "/free", "upstream": "stub", "public": true}"#)
            change(&settings)
        }
    }

    func file(_ name: String) -> String { "\(certificates.path)/\(name)" }

    /// A certificate in PEM form.
    func pem(_ name: String) throws -> String { try String(contentsOfFile: file("\(name).pem"), encoding: .utf8) }

    /// A certificate in DER form and Base64.
    func base64(_ name: String) throws -> String {
        try pem(name).split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
    }

    /// The certificate as Envoy and nginx escape it.
    func escaped(_ name: String) throws -> String {
        try #require(pem(name).addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    }

    func own(_ name: String) -> [String] { ["--cert", file("\(name).pem"), "--key", file("\(name).key")] }

    /// Asks as the proxy, with these field lines.
    func ask(
        _ path: String, _ fields: [String], listener: String = "public", _ arguments: [String] = []
    ) throws -> (status: Int, code: String?) {
        let answer = try gateway.curl(arguments + fields.flatMap { ["-H", $0] }, path, listener: listener)
        return (answer.status, JSONText(answer.body)["code"].string)
    }

    /// What the last request to a path told the upstream of certificates.
    func told(_ path: String) throws -> [String] {
        let request = try #require(gateway.upstream.requests(path).last)
        return request.head.fields.filter { $0.name.lowercased().contains("cert") }.map { "\($0.name): \($0.value)" }
    }

    func user(_ path: String) -> String? {
        gateway.upstream.requests(path).last?.head.fields.first { $0.name == "X-Gateway-User" }?.value
    }
}
