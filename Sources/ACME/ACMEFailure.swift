import Bytes

/// Why an authority gives no certificate.
package struct ACMEFailure: Error, Sendable, Equatable {
    /// For operators: printable, and at most `longest` characters.
    package let detail: String
    /// Seconds that the authority asks to wait before the next attempt; nil for none.
    package let retryAfter: Int64?

    private static let longest = 600

    /// Whether the certificate that an order replaces has been replaced before (RFC 9773 section 5).
    var isAlreadyReplaced: Bool { detail.hasPrefix("alreadyReplaced") }

    /// The process ends before the attempt does.
    package static let ending = ACMEFailure("the gateway is ending")

    /// - Parameter detail: may hold texts of the authority.
    package init(_ detail: String, retryAfter: Int64? = nil) {
        let printable = detail.unicodeScalars.lazy.map { scalar in
            scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format ? " " : scalar
        }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: printable.prefix(ACMEFailure.longest))
        self.detail = String(text)
        self.retryAfter = retryAfter
    }

    /// The refusal in a problem document (RFC 8555 section 6.7), with those of single names behind it.
    static func refusal(_ problem: JSONNode?, status: Int, retryAfter: Int64?) -> ACMEFailure {
        guard let problem, let text = text(of: problem) else {
            return ACMEFailure("the authority answers with status \(status)", retryAfter: retryAfter)
        }
        let parts = (problem["subproblems"]?.array ?? []).compactMap { part in
            self.text(of: part).map { "\(part["identifier"]?["value"]?.string ?? "?"): \($0)" }
        }
        return ACMEFailure(([text] + parts).joined(separator: "; "), retryAfter: retryAfter)
    }

    /// Type and detail of a problem; nil without both.
    static func text(of problem: JSONNode) -> String? {
        let type = problem["type"]?.string.map { $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : $0 }
        let texts = [type, problem["detail"]?.string].compactMap(\.self).filter { !$0.isEmpty }
        return texts.isEmpty ? nil : texts.joined(separator: ": ")
    }

    static let prefix = "urn:ietf:params:acme:error:"
}
