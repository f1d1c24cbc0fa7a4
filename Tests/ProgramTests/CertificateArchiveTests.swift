import ACME
import Crypto
import Gateway
import Model
import Synchronization
import TestSupport
import Testing
import TokenStorage

@testable import portcullis

/// Certificates in a store that gateways share, and its copies in their folders.
@Suite struct CertificateArchiveTests {
    /// The documents of a store in memory.
    private final class DocumentServer: StoreServer {
        let documents = Mutex<[String: [UInt8]]>([:])
        let place = "memory"
        let partition = "test"
        var workers: StoreLine { fatalError("no worker asks this store") }

        func document(
            _ name: String, replacing change: (known: [UInt8], text: [UInt8])?
        ) throws(StoreServerFailure) -> [UInt8] {
            documents.withLock { documents in
                if let change, documents[name] ?? [] == change.known { documents[name] = change.text }
                return documents[name] ?? []
            }
        }

        func probe() throws(StoreServerFailure) -> String { place }
    }

    private static let names = ["a.example.com"]
    private let server = DocumentServer()
    private let folders: [TemporaryDirectory]
    private let settings: ACMESettings

    init() throws {
        folders = [try TemporaryDirectory(), try TemporaryDirectory()]
        settings = ACMESettings(directory: try WebURL("https://ca.example.com/directory"))
    }

    /// The archive of a gateway.
    /// - Parameter keys: first bytes of its `store.key`, that in use in front.
    private func archive(_ gateway: Int, keys: [UInt8] = [1]) throws -> CertificateArchive {
        let key = try #require(TokenDigestKey(keys: keys.map { [UInt8](repeating: $0, count: 32) }))
        return CertificateArchive(folder: folders[gateway].path, (server, key))
    }

    private func record(_ archive: CertificateArchive) throws -> CertificateRecord {
        try archive.record(Self.names, settings).record
    }

    private static func renewed(at now: Int64) throws -> CertificateRecord {
        let made = try TLSCertificate.selfSigned(for: names, commonName: "a", seconds: 86_400)
        let obtained = ObtainedCertificate(
            chain: String(decoding: made.chainPEM, as: UTF8.self), key: String(decoding: made.keyPEM, as: UTF8.self))
        return CertificateRecord(names: names).renewed(with: obtained, at: now)
    }

    @Test("one of two gateways takes a record, and both have what it keeps")
    func exclusion() throws {
        let (first, second) = (try archive(0), try archive(1))
        let (mine, theirs) = (try first.record(Self.names, settings), try second.record(Self.names, settings))
        let held = try #require(try first.replace(mine, with: mine.record.held(at: 1000), settings))
        #expect(try second.replace(theirs, with: theirs.record.held(at: 1000), settings) == nil)
        let renewed = try Self.renewed(at: 1000)
        #expect(try first.replace(held, with: renewed, settings) != nil)
        #expect(try record(second) == renewed && second.copiedRecord(Self.names, settings).record == renewed)
        #expect(server.documents.withLock { $0.count } == 1)
    }

    @Test("a record that another gateway seals anew, while its key is exchanged, is still replaced")
    func exchangedKey() throws {
        let (first, second) = (try archive(0, keys: [1, 2]), try archive(1, keys: [2, 1]))
        let known = try first.record(Self.names, settings)
        let held = try #require(try first.replace(known, with: known.record.held(at: 1000), settings))
        #expect(try record(second) == held.record)
        let renewed = try Self.renewed(at: 1000)
        #expect(try first.replace(held, with: renewed, settings)?.record == renewed)
        #expect(try record(second) == renewed)
        // With another key alone it cannot be opened, and is not lost.
        #expect(throws: KeyFileError.self) { try record(archive(1, keys: [3])) }
        #expect(try record(first) == renewed)
    }

    @Test("a store that was set back, or emptied, gets the later certificate of a folder")
    func setBack() throws {
        let archive = try archive(0)
        let known = try archive.record(Self.names, settings)
        let old = try #require(try archive.replace(known, with: try Self.renewed(at: 1000), settings))
        let before = server.documents.withLock { $0 }
        let later = try Self.renewed(at: 2000)
        #expect(try archive.replace(old, with: later, settings) != nil)
        for documents in [before, [:]] {
            server.documents.withLock { $0 = documents }
            #expect(try record(archive) == later)
            #expect(try record(self.archive(1)) == later)
        }
    }

    @Test("authorities do not replace each other's certificates")
    func authorities() throws {
        let archive = try archive(0)
        let other = ACMESettings(directory: try WebURL("https://other.example.com/directory"))
        let known = try archive.record(Self.names, settings)
        _ = try archive.replace(known, with: Self.renewed(at: 1000), settings)
        #expect(try archive.record(Self.names, other).record.obtained == nil)
        // But the certificate is of use until there is another one.
        #expect(archive.certificate(withMostOf: Self.names + ["b.example.com"], now: 2000) != nil)
        #expect(archive.certificate(withMostOf: ["b.example.com"], now: 2000) == nil)
    }
}
