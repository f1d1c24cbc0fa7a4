import Bytes
import Crypto
import Model

/// What is known of a certificate that an authority issues: the latest one, and how attempts to replace it went.
package struct CertificateRecord: Sendable, Equatable {
    /// DNS names in lower case.
    package let names: [String]
    /// The latest certificate; nil before the first.
    package private(set) var obtained: ObtainedCertificate?
    /// When it was issued, in seconds since 1970.
    package private(set) var obtainedAt: Int64 = 0
    /// Its end, in seconds since 1970.
    package private(set) var notAfter: Int64 = 0
    /// From when it is renewed, in seconds since 1970.
    private var renewal: Int64 = 0
    /// How many attempts have failed since the latest certificate.
    private var failures: Int64 = 0
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
    /// The longest that an authority can ask for, in seconds.
    private static let longestPause: Int64 = 86_400
    /// Seconds between a certificate and the next attempt, also where the authority asks for it before.
    private static let leastPause: Int64 = 3600

    package init(names: [String]) { self.names = names }

    // MARK: Text

    /// Nil for another text than `json` gives, and for one with a certificate that no listener can present.
    package init?(json: [UInt8], names: [String]) {
        guard let root = try? JSONNode.parse(json.span), root["names"]?.array?.map(\.string) == names else {
            return nil
        }
        self.names = names
        for (name, place) in CertificateRecord.numbers {
            guard let number = root[name]?.integer, InternetDate.range.contains(number) else { return nil }
            self[keyPath: place] = number
        }
        if let certificate = ObtainedCertificate(root) {
            guard let summary = certificate.summary else { return nil }
            (obtained, notAfter) = (certificate, summary.notAfter)
        }
    }

    package var json: [UInt8] {
        var members: [(name: String, value: JSONNode)] = [("names", .texts(names))]
        members += CertificateRecord.numbers.map { ($0.name, .number(self[keyPath: $0.place])) }
        if let obtained { members += [("chain", .text(obtained.chain)), ("key", .text(obtained.key))] }
        return JSONNode.object(members).serialized
    }

    private static var numbers: [(name: String, place: WritableKeyPath<CertificateRecord, Int64>)] {
        [
            ("obtainedAt", \.obtainedAt), ("renewal", \.renewal), ("failures", \.failures),
            ("nextAttempt", \.nextAttempt), ("suggested", \.suggested), ("nextQuestion", \.nextQuestion),
            ("heldUntil", \.heldUntil),
        ]
    }

    // MARK: Attempts

    /// The second from which an attempt is due: with a third of the lifetime left, or before where the authority suggests it; at
    /// once without a certificate; not before a failed attempt may be repeated, nor while another gateway makes one. Times that
    /// only a wrong clock has set do not count.
    package func due(now: Int64) -> Int64 {
        let renewal = suggested > 0 ? min(renewal, suggested) : renewal
        return max(
            obtained == nil ? 0 : renewal, nextAttempt > now + CertificateRecord.longestPause ? 0 : nextAttempt,
            isHeld(now: now) ? heldUntil : 0)
    }

    private func isHeld(now: Int64) -> Bool { (now + 1...now + CertificateRecord.hold).contains(heldUntil) }

    /// Whether it is time to ask the authority when it suggests a renewal.
    package func asks(now: Int64) -> Bool {
        obtained != nil && !isHeld(now: now) && !(now + 1...now + CertificateRecord.longestPause).contains(nextQuestion)
    }

    /// The record after that question.
    /// - Parameter suggestion: nil for none; an earlier one stays.
    package func told(_ suggestion: RenewalSuggestion?, at now: Int64) -> CertificateRecord {
        var record = self
        // What is kept must be read again, also of an authority that suggests nonsense.
        let dates = InternetDate.range
        if let suggestion { record.suggested = min(max(1, suggestion.renewal), dates.upperBound) }
        record.nextQuestion =
            suggestion.map { min(max(0, $0.nextQuestion), dates.upperBound) }
            ?? now + RenewalSuggestion.usualPause
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

    /// The record with a new certificate, which a listener can present.
    package func renewed(with certificate: ObtainedCertificate, at now: Int64) -> CertificateRecord {
        guard let summary = certificate.summary else { return released }
        var record = CertificateRecord(names: names)
        (record.obtained, record.obtainedAt, record.notAfter) = (certificate, now, summary.notAfter)
        // By the times of the certificate, or by those of this clock, if they are far apart.
        let lifetime = summary.notAfter - max(summary.notBefore, 0)
        record.renewal = max(0, summary.notAfter - lifetime / 3, now + (summary.notAfter - now) / 3)
        record.nextAttempt = now + CertificateRecord.leastPause
        return record
    }

    /// The record after a failed attempt.
    package func failed(_ failure: ACMEFailure, at now: Int64) -> CertificateRecord {
        var record = released
        let last = CertificateRecord.pauses.count - 1
        record.nextAttempt =
            now + max(CertificateRecord.pauses[Int(min(failures, Int64(last)))], failure.retryAfter ?? 0)
        record.failures = min(failures + 1, 1000)
        return record
    }
}
