import Bytes
import Model
import Outbound

/// What a policy server says of a request.
package struct PolicyAnswer: Sendable {
    package enum Outcome: String, Sendable, CaseIterable {
        case allowed, denied
        /// No usable answer.
        case failed
    }

    /// Name of the server.
    package var server = ""
    package var outcome: Outcome
    /// Why the request is refused; nil where it is not.
    package var denial: Reason?
    /// Field lines for the upstream.
    package var fields: [UInt8] = []
    /// What the server gives as its reason, or the cause of a failure; for the log alone.
    package var note = ""
    package var isCached = false
    /// For `failed`: whether the server could not answer, in contrast to an answer that cannot be used.
    package private(set) var isOutage = false
    /// Milliseconds that the server lets its answer be kept; nil where it does not say.
    var maximumAge: Int64?

    package init(outcome: Outcome, denial: Reason? = nil, fields: [UInt8] = [], note: String = "") {
        self.outcome = outcome
        self.denial = denial
        self.fields = fields
        self.note = note
    }

    static func failed(_ cause: String, isOutage: Bool, _ mode: PolicyServerRules.FailureMode) -> PolicyAnswer {
        // An answer that cannot be read is no outage: what it said may have been a denial.
        let isAllowed = isOutage && mode == .allow
        var answer = PolicyAnswer(outcome: .failed, denial: isAllowed ? nil : .policyUnavailable, note: cause)
        answer.isOutage = isOutage
        return answer
    }
}

/// What the formats share.
extension PolicyAnswer {
    static func unusable(_ response: OutboundResponse, _ rules: PolicyServerRules) -> PolicyAnswer {
        failed(
            "status_\(response.status)", isOutage: response.status >= 500 || response.status == 429, rules.onFailure)
    }

    static func denied(_ status: Int64?, note: String = "") -> PolicyAnswer {
        let reason: Reason =
            switch status {
            case 401: .policyLoginRequired
            case 404: .policyHidden
            default: .policyDenied
            }
        return PolicyAnswer(outcome: .denied, denial: reason, note: note)
    }

    /// The object of an answer; nil for another document, and for one with repeated members.
    static func document(in response: OutboundResponse) -> JSONNode? {
        let node = try? JSONNode.parse(response.body.span, maximumDepth: 32)
        return node?.members == nil ? nil : node
    }

    /// The lines for the upstream of an object with fields by name, each a text or a list; nil for a value that no line has.
    static func lines(of headers: JSONNode?, _ rules: PolicyServerRules) -> [UInt8]? {
        var lines: [UInt8] = []
        for name in rules.answerHeaders {
            for member in headers?.members ?? [] where isSame(member.name, name) {
                let texts = member.node.string.map { [$0] } ?? member.node.array?.compactMap(\.string) ?? []
                for text in texts where !append(name, text, to: &lines) { return nil }
            }
        }
        return lines
    }

    /// Appends a line. False for a value that would be more than one line, or is too long: without a field that restricts
    /// the caller the upstream must not get the request.
    static func append(_ name: String, _ value: String, to lines: inout [UInt8]) -> Bool {
        let isValid = value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
        guard isValid, value.utf8.count <= longestValue else { return false }
        lines += "\(name): \(value)\r\n".utf8
        return true
    }

    private static let longestValue = 4096
    /// In characters.
    static let longestNote = 256

    private static func isSame(_ name: String, _ other: String) -> Bool {
        name.isExactly(other) || name.lowercased().utf8.elementsEqual(other.lowercased().utf8)
    }

    /// `Cache-Control` (RFC 9111 section 5.2.2).
    static func maximumAge(_ response: OutboundResponse) -> Int64? {
        var age: Int64?
        for directive in response.values(of: "Cache-Control").flatMap({ $0.split(separator: ",") }) {
            let text = directive.lowercased().filter { $0 != " " && $0 != "\t" && $0 != "\"" }
            if text == "no-store" || text == "no-cache" { return 0 }
            guard text.hasPrefix("max-age=") else { continue }
            let seconds = Int64(text.dropFirst(8)).map { min(max($0, 0), 86_400) } ?? 0
            age = min(age ?? .max, seconds * 1000)
        }
        return age
    }
}
