import Bytes
import Crypto
import Model

/// A client and a server that talk through memory.
final class TLSPair {
    let client: TLSSession
    let server: TLSSession
    let toServer = Chunk(capacity: 256)
    let toClient = Chunk(capacity: 256)
    let atServer = Chunk(capacity: 65_536)
    let atClient = Chunk(capacity: 65_536)

    init(_ client: TLSSession, _ server: TLSSession) {
        self.client = client
        self.server = server
    }

    convenience init?(
        _ client: TLSClientSettings, _ server: TLSServerSettings, name: String = "a.example"
    ) throws {
        let clients = try TLSClientContext(client)
        let servers = try TLSServerContext(server)
        self.init(clients, servers, name: name)
    }

    convenience init?(_ clients: TLSClientContext, _ servers: TLSServerContext, name: String = "a.example") {
        guard let client = clients.makeSession(serverName: name), let server = servers.makeSession() else { return nil }
        self.init(client, server)
    }

    /// Moves bytes until neither side has more to send; both are open then if all is well.
    @discardableResult
    func shakeHands() -> TLSPair {
        _ = client.start(replying: toServer)
        settle()
        return self
    }

    func settle() {
        while !toServer.isEmpty || !toClient.isEmpty {
            if !toServer.isEmpty { _ = server.receive(toServer, into: atServer, replying: toClient) }
            if !toClient.isEmpty { _ = client.receive(toClient, into: atClient, replying: toServer) }
        }
    }

    var isOpen: Bool { client.state == .open && server.state == .open }

    /// What the server gets when the client sends a text.
    func request(_ text: String) -> String {
        _ = client.send(.of(Array(text.utf8)), into: toServer)
        settle()
        return atServer.takeText()
    }

    /// What the client gets when the server sends a text.
    func reply(_ text: String) -> String {
        _ = server.send(.of(Array(text.utf8)), into: toClient)
        settle()
        return atClient.takeText()
    }
}

extension Chunk {
    static func of(_ bytes: [UInt8]) -> Chunk {
        let chunk = Chunk(capacity: max(bytes.count, 1))
        chunk.append(bytes)
        return chunk
    }

    var bytes: [UInt8] {
        let readable = readable
        return readable.indices.map { readable[$0] }
    }

    func takeText() -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        reset()
        return text
    }
}

extension TLSClientSettings {
    /// Trusts the tests' authority.
    static var trusting: TLSClientSettings { trusting(.shared) }

    static func trusting(_ authority: TLSAuthority) -> TLSClientSettings {
        var settings = TLSClientSettings()
        settings.trust = .authorities(authority.certificatePEM)
        return settings
    }

    func with(_ change: (inout TLSClientSettings) -> Void) -> TLSClientSettings {
        var copy = self
        change(&copy)
        return copy
    }
}

extension TLSServerSettings {
    func with(_ change: (inout TLSServerSettings) -> Void) -> TLSServerSettings {
        var copy = self
        change(&copy)
        return copy
    }
}

/// Certificates that many tests share, made once.
enum TLSSample {
    static let leaf = TLSAuthority.shared.issue(["DNS:a.example", "DNS:b.example"], name: "leaf")
    static let rsaLeaf = TLSAuthority.shared.issue(["DNS:a.example"], key: .rsa(2048), name: "rsa-leaf")
    static let wildcard = TLSAuthority.shared.issue(["DNS:*.example.com"], name: "wildcard")
    static let device = TLSAuthority.shared.issue(
        [
            "DNS:Device-7.example", "email:ops@example.org", "URI:spiffe://example.org/device/7", "IP:192.0.2.7",
            "IP:2001:db8::7",
        ],
        subject: "/C=DE/O=Example, Inc./CN=devïce 7", name: "device")
    static var server: TLSServerSettings { TLSServerSettings(certificates: [leaf]) }
    static var mutual: TLSServerSettings {
        server.with {
            $0.rules.clientAuthentication = .required
            $0.clientAuthoritiesPEM = TLSAuthority.shared.certificatePEM
        }
    }
}
