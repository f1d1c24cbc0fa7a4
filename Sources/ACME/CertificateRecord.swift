import Bytes
import Crypto
import Model

/// What is known of a certificate that an authority issues: the latest one, and how attempts to replace it went.
package struct CertificateRecord: Sendable, Equatable {
    /// DNS names in lower case.
    package let names: [String]
    /// Of the authority that was asked last.
    private var directory: String
    /// The latest certificate; nil before the first.
    package private(set) var obtained: ObtainedCertificate?
    /// Its validity, in seconds since 1970.
    package private(set) var notBefore: Int64 = 0
    package private(set) var notAfter: Int64 = 0
    /// How many attempts have failed since the latest certificate.
    package private(set) var failures: Int64 = 0
    /// No attempt begins before this second.
    package private(set) var nextAttempt: Int64 = 0
    /// When the authority suggests to renew the certificate, in seconds since 1970; 0 for no suggestion.
    private var suggested: Int64 = 0
    /// The second from which the authority is asked for a suggestion.
    private var nextQuestion: Int64 = 0
    /// A gateway makes an attempt until this second at the latest.
    private var heldUntil: Int64 = 0

    /// Seconds that an attempt holds the record: longer than it can take, with the time to keep its result.
    private static let hold = ACMESession.longestMilliseconds / 1000 + 90
    /// Seconds between attempts that fail. Authorities allow five failures an hour for a name.
    private static let pauses: [Int64] = [60, 600, 1800, 3600, 3 * 3600, 6 * 3600]

    package init(names: [String], _ settings: ACMESettings) {
        self.names = names
        directory = "\(settings.directory)"
    }

    // MARK: Text

    /// Nil for another text than `json` gives, and for one with a certificate that is not accepted.
    package init?(json: [UInt8], names: [String], _ settings: ACMESettings) {
        guard let root = try? JSONNode.parse(json.span), let directory = root["directory"]?.string,
            let failures = root["failures"]?.integer, let nextAttempt = root["nextAttempt"]?.integer,
            let heldUntil = root["heldUntil"]?.integer,
            root["names"]?.array?.map(\.string) == names
        else { return nil }
        self.names = names
        self.directory = directory
        self.failures = failures
        self.nextAttempt = nextAttempt
        self.heldUntil = heldUntil
        suggested = root["suggested"]?.integer ?? 0
        nextQuestion = root["nextQuestion"]?.integer ?? 0
        if let certificate = ObtainedCertificate(root), !use(certificate) { return nil }
    }

    package var json: [UInt8] {
        var members: [(name: String, value: JSONNode)] = [
            ("names", .texts(names)), ("directory", .text(directory)), ("failures", .number(failures)),
            ("nextAttempt", .number(nextAttempt)), ("heldUntil", .number(heldUntil)), ("suggested", .number(suggested)),
            ("nextQuestion", .number(nextQuestion)),
        ]
        if let obtained { members += [("chain", .text(obtained.chain)), ("key", .text(obtained.key))] }
        return JSONNode.object(members).serialized
    }

    /// Takes a certificate over; false for one that is not accepted.
    private mutating func use(_ certificate: ObtainedCertificate) -> Bool {
        guard let summary = try? certificate.tls.inspect() else { return false }
        (notBefore, notAfter) = (summary.notBefore, summary.notAfter)
        obtained = certificate
        return true
    }

    // MARK: Attempts

    /// The second from which an attempt is due: with a third of the lifetime left, or before where the authority suggests it; at
    /// once without a certificate of this authority; not before a failed attempt may be repeated, nor while another gateway makes
    /// one.
    package func due(_ settings: ACMESettings) -> Int64 {
        var renewal: Int64 = 0
        if replaceable(settings) != nil {
            renewal = notAfter - (notAfter - notBefore) / 3
            if suggested > 0 { renewal = min(renewal, suggested) }
        }
        return max(renewal, nextAttempt, heldUntil)
    }

    /// The certificate, if it is of this authority.
    package func replaceable(_ settings: ACMESettings) -> ObtainedCertificate? {
        directory == "\(settings.directory)" ? obtained : nil
    }

    /// Whether the authority is to be asked when it suggests a renewal.
    package func asks(_ settings: ACMESettings, now: Int64) -> Bool {
        nextQuestion <= now && heldUntil <= now && replaceable(settings) != nil
    }

    /// The record after that question.
    /// - Parameter suggestion: nil for none; an earlier one stays.
    package func told(_ suggestion: RenewalSuggestion?, at now: Int64) -> CertificateRecord {
        var record = self
        record.suggested = suggestion?.renewal ?? suggested
        record.nextQuestion = suggestion?.nextQuestion ?? now + RenewalSuggestion.usualPause
        return record
    }

    /// The record while an attempt is made.
    package func held(at now: Int64) -> CertificateRecord {
        var record = self
        record.heldUntil = now + CertificateRecord.hold
        return record
    }

    /// The record after an attempt that was given up.
    package var released: CertificateRecord {
        var record = self
        record.heldUntil = 0
        return record
    }

    /// The record with a new certificate.
    package func renewed(with certificate: ObtainedCertificate, _ settings: ACMESettings) -> CertificateRecord {
        var record = CertificateRecord(names: names, settings)
        return record.use(certificate) ? record : released
    }

    /// The record after a failed attempt.
    package func failed(_ failure: ACMEFailure, at now: Int64) -> CertificateRecord {
        var record = released
        let pause = CertificateRecord.pauses[min(Int(max(0, failures)), CertificateRecord.pauses.count - 1)]
        record.failures = max(0, failures) + 1
        record.nextAttempt = now + max(pause, failure.retryAfter ?? 0)
        return record
    }
}

extension ObtainedCertificate {
    /// The certificate in the text of a record, not checked; nil for none.
    package init?(recordJSON text: [UInt8]) {
        guard let root = try? JSONNode.parse(text.span) else { return nil }
        self.init(root)
    }

    fileprivate init?(_ record: JSONNode) {
        guard let chain = record["chain"]?.string, let key = record["key"]?.string else { return nil }
        self.init(chain: chain, key: key)
    }

    package var tls: TLSCertificate { TLSCertificate(chainPEM: Array(chain.utf8), keyPEM: Array(key.utf8)) }
}
