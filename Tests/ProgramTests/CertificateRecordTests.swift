import ACME
import Bytes
import Crypto
import Model
import Testing

/// When attempts to renew a certificate are due, and what is kept of them.
@Suite struct CertificateRecordTests {
    private static let now: Int64 = 1_800_000_000
    private static let names = ["a.example.com"]

    /// A record with a certificate for some seconds of the machine's clock, issued at a second of the gateway's.
    private static func renewed(seconds: Int, at now: Int64? = nil) throws -> CertificateRecord {
        let certificate = try TLSCertificate.selfSigned(for: names, commonName: "a", seconds: seconds)
        let obtained = ObtainedCertificate(
            chain: String(decoding: certificate.chainPEM, as: UTF8.self),
            key: String(decoding: certificate.keyPEM, as: UTF8.self))
        let end = try certificate.inspect().notAfter
        return CertificateRecord(names: names).renewed(with: obtained, at: now ?? end - Int64(seconds))
    }

    @Test func dueWithAThirdLeft() throws {
        let record = try Self.renewed(seconds: 90 * 86_400)
        #expect(record.due(now: record.obtainedAt) == record.notAfter - (90 * 86_400 + 3600) / 3)
        #expect(CertificateRecord(names: Self.names).due(now: Self.now) == 0)
    }

    @Test("a certificate whose times do not fit the clock is not renewed at once")
    func oddTimes() throws {
        let end = try Self.renewed(seconds: 90 * 86_400).notAfter
        for left: Int64 in [20 * 86_400, 3600, 60, 0, -86_400] {
            let now = end - left
            let record = try Self.renewed(seconds: 90 * 86_400, at: now)
            #expect(record.due(now: now) >= now + 3600 && record.due(now: now) <= now + max(3600, left / 3 + 2))
            // A suggestion does not shorten that.
            let told = record.told(RenewalSuggestion(renewal: 1, nextQuestion: now + 7200), at: now)
            #expect(told.due(now: now) == now + 3600 && record.asks(now: now) && !told.asks(now: now))
        }
    }

    @Test func pausesGrow() throws {
        var record = CertificateRecord(names: Self.names)
        var pauses: [Int64] = []
        for _ in 0..<8 {
            record = record.held(at: Self.now).failed(ACMEFailure("no"), at: Self.now)
            pauses.append(record.due(now: Self.now) - Self.now)
        }
        #expect(pauses == [60, 600, 1800, 3600, 10_800, 21_600, 21_600, 21_600])
        let asked = record.failed(ACMEFailure("no", retryAfter: 86_400), at: Self.now)
        #expect(asked.due(now: Self.now) == Self.now + 86_400)
    }

    @Test("what a wrong clock has set does not count")
    func wrongClock() throws {
        let year: Int64 = 365 * 86_400
        let record = CertificateRecord(names: Self.names)
        #expect(record.failed(ACMEFailure("no"), at: Self.now + year).due(now: Self.now) == 0)
        #expect(record.held(at: Self.now + year).due(now: Self.now) == 0)
        #expect(try Self.renewed(seconds: 3600).told(nil, at: Self.now + year).asks(now: Self.now))
    }

    @Test("what an authority suggests can be read again")
    func oddSuggestions() throws {
        let record = try Self.renewed(seconds: 86_400)
        for second in [Int64.min, -1, 0, 1, .max] {
            let told = record.told(RenewalSuggestion(renewal: second, nextQuestion: second), at: record.obtainedAt)
            #expect(CertificateRecord(json: told.json, names: Self.names) == told, "\(second)")
            #expect(told.due(now: record.obtainedAt) >= record.obtainedAt + 3600, "\(second)")
        }
    }

    @Test func heldByOneGateway() throws {
        let record = CertificateRecord(names: Self.names)
        #expect(record.held(at: Self.now).due(now: Self.now) == Self.now + 240)
        #expect(record.held(at: Self.now).released.due(now: Self.now) == 0)
    }

    @Test func text() throws {
        let record = try Self.renewed(seconds: 86_400).failed(ACMEFailure("no"), at: Self.now).held(at: Self.now)
        let json = String(decoding: record.json, as: UTF8.self)
        #expect(CertificateRecord(json: record.json, names: Self.names) == record)
        #expect(CertificateRecord(json: record.json, names: ["b.example.com"]) == nil)
        for spoiled in [[], Array("{}".utf8), Array(record.json.dropLast(2)), Array("null".utf8)] {
            #expect(CertificateRecord(json: spoiled, names: Self.names) == nil)
        }
        for (old, new) in [
            ("BEGIN CERTIFICATE", "BEGIN X"), (#""failures":1"#, #""failures":-1"#),
            (#""failures":1"#, #""failures":9223372036854775807"#),
            (#""heldUntil":1800000240"#, #""heldUntil":100000000000000000"#), (#""renewal":"#, #""x":"#),
        ] {
            #expect(json.contains(old))
            #expect(
                CertificateRecord(json: Array(json.replacing(old, with: new).utf8), names: Self.names) == nil, "\(new)")
        }
    }

    @Test func failuresArePrintableAndShort() {
        let failure = ACMEFailure("a\u{1b}[31m\n\u{202e}b" + String(repeating: "x", count: 5000))
        #expect(failure.detail.hasPrefix("a [31m  b") && failure.detail.count == 600)
    }
}
