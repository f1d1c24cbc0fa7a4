import Bytes
import ClientStore
import Foundation
import Testing

@testable import PortcullisClient

/// CRED-01, CRED-02.
@Suite struct CredentialStoreTests {
    private let fixture: Fixture
    private let store: CredentialStore

    init() throws {
        fixture = try Fixture()
        store = fixture.store
    }

    private func mode(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(fixture.directory)/\(name)")
        return try #require(attributes[.posixPermissions] as? NSNumber).intValue & 0o777
    }

    @Test("CRED-01: add, get, update, delete, get: null members")
    func credentials() throws {
        let url = "https://gw.example.com"
        #expect(try store.credential(url: url) == nil)
        try store.add(StoredCredential(url: url, user: "joe", password: "Welcome1"))
        try store.add(StoredCredential(url: url, tenant: "t", user: "ann", password: "Welcome2"))
        try store.update(StoredCredential(url: url, user: "joe", password: "Welcome3"))
        // Another process.
        let again = fixture.store
        #expect(try again.credential(url: url)?.password == "Welcome3")
        #expect(try again.credential(url: url, tenant: "t")?.user == "ann")
        try store.delete(url: url)
        #expect(try again.credential(url: url) == StoredCredential(url: url, user: nil, password: nil))
        #expect(try again.credential(url: url, tenant: "t")?.password == "Welcome2")
        #expect(throws: ClientError.self) { try store.add(StoredCredential(url: "", user: "a", password: "b")) }
    }

    @Test("CRED-02: a property with label and description")
    func properties() throws {
        let property = StoredProperty(key: "k", value: "v", label: "a label", description: "what it is")
        try store.store(property)
        try store.store(StoredProperty(key: "l", value: "w"))
        #expect(try fixture.store.property("k") == property)
        try store.store(StoredProperty(key: "k", value: "v2"))
        #expect(try fixture.store.property("k") == StoredProperty(key: "k", value: "v2"))
        #expect(try fixture.store.property("m") == nil)
    }

    @Test("CRED-01: files are for their owner, hold no clear text, and no draft is left")
    func files() throws {
        try store.add(StoredCredential(url: "https://gw.example.com", user: "joe-the-user", password: "Welcome1"))
        #expect(try mode("credentials") == 0o600)
        #expect(try mode("credentials.key") == 0o600)
        #expect(try mode("credentials.lock") == 0o600)
        #expect(try FileManager.default.attributesOfItem(atPath: fixture.directory)[.posixPermissions] as? Int == 0o700)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: fixture.directory).sorted()
                == ["credentials", "credentials.key", "credentials.lock"])
        let text = String(decoding: try fixture.bytes("credentials"), as: UTF8.self)
        for secret in ["Welcome1", "joe-the-user", "gw.example.com"] { #expect(!text.contains(secret)) }
    }

    private func expectUnreadable(_ mentioned: String) {
        let error = #expect(throws: ClientError.self) { try fixture.store.credential(url: "a") }
        #expect(error?.code == .storeUnreadable)
        #expect(error?.description.contains(mentioned) == true, "\(String(describing: error))")
        // What cannot be read is not overwritten.
        #expect(throws: ClientError.self) {
            try fixture.store.add(StoredCredential(url: "b", user: "c", password: "d"))
        }
    }

    @Test("a key that is open to others, another one, none, and a file that was changed are refused")
    func damaged() throws {
        try store.add(StoredCredential(url: "a", user: "joe", password: "Welcome1"))
        let (key, file) = ("\(fixture.directory)/credentials.key", "\(fixture.directory)/credentials")
        let (keyBytes, sealed) = (try fixture.bytes("credentials.key"), try fixture.bytes("credentials"))
        let manager = FileManager.default
        try manager.setAttributes([.posixPermissions: 0o640], ofItemAtPath: key)
        expectUnreadable("open to others")
        try Data([UInt8](repeating: 7, count: 32)).write(to: URL(filePath: key))
        try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        expectUnreadable("another key")
        try Data([1, 2, 3]).write(to: URL(filePath: key))
        expectUnreadable("not one of 32 bytes")
        try manager.removeItem(atPath: key)
        expectUnreadable("is missing")
        try Data(keyBytes).write(to: URL(filePath: key))
        try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        var changed = sealed
        changed[changed.count - 1] ^= 1
        try Data(changed).write(to: URL(filePath: file))
        expectUnreadable("damaged")
        try Data("{}".utf8).write(to: URL(filePath: file))
        expectUnreadable("no credential store")
        try Data(sealed).write(to: URL(filePath: file))
        #expect(try fixture.store.credential(url: "a")?.password == "Welcome1")
    }

    @Test("OMS-16: what cannot be opened is forgotten all the same", arguments: ["credentials", "credentials.key"])
    func removedUnread(_ name: String) throws {
        try store.removeAll()
        try store.add(StoredCredential(url: "a", user: "joe", password: "Welcome1"))
        try Data("{}".utf8).write(to: URL(filePath: "\(fixture.directory)/\(name)"))
        #expect(throws: ClientError.self) { try fixture.store.credential(url: "a") }
        try fixture.store.removeAll()
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.directory) == ["credentials.lock"])
        #expect(try fixture.store.credential(url: "a") == nil)
        try fixture.store.add(StoredCredential(url: "b", user: "joe", password: "Welcome2"))
        #expect(try fixture.store.credential(url: "b")?.password == "Welcome2")
    }

    @Test("OMS-20: a host-bound store is not one that is not")
    func binding() throws {
        try #require(FileManager.default.fileExists(atPath: "/etc/machine-id"))
        try store.add(StoredCredential(url: "a", user: "joe", password: "Welcome1"))
        let portable = CredentialStore(directory: fixture.directory, isHostBound: false)
        #expect(throws: ClientError.self) { try portable.credential(url: "a") }
    }

    @Test("changes at the same time are all kept")
    func concurrency() async throws {
        let directory = fixture.directory
        await withTaskGroup(of: Bool.self) { group in
            for i in 0..<24 {
                group.addTask {
                    let store = CredentialStore(directory: directory)
                    return (try? store.add(StoredCredential(url: "\(i)", user: "u", password: "p\(i)"))) != nil
                }
            }
            for await isDone in group { #expect(isDone) }
        }
        for i in 0..<24 { #expect(try store.credential(url: "\(i)")?.password == "p\(i)") }
    }
}
