import ClientStore
import Foundation
import Testing

@testable import PortcullisClient

/// CRYPTO-05: key pairs in files.
@Suite struct KeyStoreTests {
    private let fixture: Fixture
    private let store: KeyStore
    private let message = Array("pay ann 10".utf8)

    init() throws {
        fixture = try Fixture()
        store = KeyStore(directory: "\(fixture.directory)/keys")
    }

    @Test("sign then verify; another message, another key and a deleted key fail", arguments: KeyStore.Kind.allCases)
    func signing(_ kind: KeyStore.Kind) throws {
        try store.generate("app", kind: kind)
        try store.generate("other", kind: kind)
        let signature = try store.sign(message, with: "app")
        let pem = try store.publicKey("app")
        #expect(pem.hasPrefix("-----BEGIN PUBLIC KEY-----\n"))
        #expect(try KeyStore.verify(signature, of: message, publicKey: pem))
        #expect(try !KeyStore.verify(signature, of: message + [33], publicKey: pem))
        #expect(try !KeyStore.verify(signature, of: message, publicKey: store.publicKey("other")))
        try store.delete("app")
        #expect(throws: ClientError.self) { try store.sign(message, with: "app") }
        #expect(throws: ClientError.self) { try store.delete("app") }
    }

    @Test("wrapped for an RSA key, unwrapped by its holder alone; EC keys wrap nothing")
    func wrapping() throws {
        try store.generate("app", kind: .rsa)
        try store.generate("other", kind: .rsa)
        try store.generate("curve")
        let secret = try CryptoService().makeSymmetricKey(length: 32)
        let wrapped = try KeyStore.wrap(secret, publicKey: store.publicKey("app"))
        #expect(try store.unwrap(wrapped, with: "app") == secret)
        #expect(try KeyStore.wrap(secret, publicKey: store.publicKey("app")) != wrapped)
        #expect(try store.unwrap(KeyStore.wrap([], publicKey: store.publicKey("app")), with: "app") == [])
        var changed = wrapped
        changed[100] ^= 1
        for (bytes, name) in [(changed, "app"), (wrapped, "other"), (Array(wrapped.dropLast()), "app"), ([], "app")] {
            #expect(throws: ClientError(.cannotDecrypt, "it was changed, or wrapped for another key")) {
                try store.unwrap(bytes, with: name)
            }
        }
        let long = [UInt8](repeating: 1, count: 319)
        #expect(throws: ClientError(.invalidArgument, "the secret is longer than 318 bytes")) {
            try KeyStore.wrap(long, publicKey: store.publicKey("app"))
        }
        #expect(throws: ClientError.self) { try KeyStore.wrap(secret, publicKey: store.publicKey("curve")) }
        #expect(throws: ClientError.self) { try store.unwrap(wrapped, with: "curve") }
    }

    @Test("files are for their owner only; a key of the name stays; names lead nowhere else")
    func files() throws {
        try store.generate("app")
        let path = "\(store.directory)/app.pem"
        let before = try String(contentsOfFile: path, encoding: .utf8)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        #expect(throws: ClientError(.invalidArgument, "there is a key \"app\" already")) { try store.generate("app") }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == before)
        for name in ["", "../x", "a/b", ".x", "a b", String(repeating: "a", count: 65)] {
            #expect(throws: ClientError.self) { try store.generate(name) }
            #expect(throws: ClientError.self) { try store.publicKey(name) }
        }
        try Data("no key".utf8).write(to: URL(filePath: "\(store.directory)/broken.pem"))
        #expect(throws: ClientError.self) { try store.sign(message, with: "broken") }
    }
}
