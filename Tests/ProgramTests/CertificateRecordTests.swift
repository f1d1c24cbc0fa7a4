import ACME
import Bytes
import Crypto
import Model
import Testing

/// When attempts to renew a certificate are due, and what is kept of them.
@Suite struct CertificateRecordTests {
    private static let now: Int64 = 1_800_000_000
    private static let names = ["a.example.com"]

    private static func settings(_ directory: String = "https://ca.example.com/directory") throws -> ACMESettings {
        ACMESettings(directory: try WebURL(directory))
    }

    /// A record with a certificate for some seconds from now.
    private static func renewed(seconds: Int) throws -> CertificateRecord {
        let certificate = try TLSCertificate.selfSigned(for: names, commonName: "a", seconds: seconds)
        let obtained = ObtainedCertificate(
            chain: String(decoding: certificate.chainPEM, as: UTF8.self),
            key: String(decoding: certificate.keyPEM, as: UTF8.self))
        return CertificateRecord(names: names, try settings()).renewed(with: obtained, try settings())
    }

    @Test func dueWithAThirdLeft() throws {
        let record = try Self.renewed(seconds: 90 * 86_400)
        let lifetime = record.notAfter - record.notBefore
        #expect(lifetime == 90 * 86_400 + 3600)
        #expect(try record.due(Self.settings()) == record.notAfter - lifetime / 3)
        // One of another authority is replaced at once.
        #expect(try record.due(Self.settings("https://other.example.com/directory")) == 0)
    }

    @Test func pausesGrow() throws {
        var record = CertificateRecord(names: Self.names, try Self.settings())
        #expect(try record.due(Self.settings()) == 0)
        var pauses: [Int64] = []
        for _ in 0..<8 {
            record = record.held(at: Self.now).failed(ACMEFailure("no"), at: Self.now)
            pauses.append(try record.due(Self.settings()) - Self.now)
        }
        #expect(pauses == [60, 600, 1800, 3600, 10_800, 21_600, 21_600, 21_600])
        let asked = record.failed(ACMEFailure("no", retryAfter: 86_400), at: Self.now)
        #expect(try asked.due(Self.settings()) == Self.now + 86_400 && asked.failures == 9)
    }

    @Test func heldByOneGateway() throws {
        let record = CertificateRecord(names: Self.names, try Self.settings())
        #expect(try record.held(at: Self.now).due(Self.settings()) == Self.now + 240)
        #expect(try record.held(at: Self.now).released.due(Self.settings()) == 0)
    }

    @Test func text() throws {
        let record = try Self.renewed(seconds: 3600).failed(ACMEFailure("no"), at: Self.now).held(at: Self.now)
        #expect(try CertificateRecord(json: record.json, names: Self.names, Self.settings()) == record)
        #expect(try CertificateRecord(json: record.json, names: ["b.example.com"], Self.settings()) == nil)
        for spoiled in [[], Array("{}".utf8), Array(record.json.dropLast(2)), Array("null".utf8)] {
            #expect(try CertificateRecord(json: spoiled, names: Self.names, Self.settings()) == nil)
        }
        let other = String(decoding: record.json, as: UTF8.self).replacing("BEGIN CERTIFICATE", with: "BEGIN X")
        #expect(try CertificateRecord(json: Array(other.utf8), names: Self.names, Self.settings()) == nil)
    }

    @Test func failuresArePrintableAndShort() {
        let failure = ACMEFailure("a\u{1b}[31m\n\u{202e}b" + String(repeating: "x", count: 5000))
        #expect(failure.detail.hasPrefix("a [31m  b") && failure.detail.count == 600)
    }
}
