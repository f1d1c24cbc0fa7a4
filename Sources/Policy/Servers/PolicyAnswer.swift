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

extension PolicyAnswer {
    /// Reads a response.
    init(_ response: OutboundResponse, of rules: PolicyServerRules) {
        let answer: PolicyAnswer
        switch rules.format {
        case .opa: answer = PolicyAnswer.document(response, rules)
        case .http: answer = PolicyAnswer.status(response, rules)
        }
        self = answer
        maximumAge = PolicyAnswer.maximumAge(response)
    }

    private static func document(_ response: OutboundResponse, _ rules: PolicyServerRules) -> PolicyAnswer {
        guard response.status == 200 else { return unusable(response, rules) }
        guard let node = try? JSONNode.parse(response.body.span, maximumDepth: 32), node.members != nil else {
            return failed("unusable", isOutage: false, rules.onFailure)
        }
        // Open Policy Agent leaves out what its rules do not define.
        guard let result = node["result"] else { return denied(nil, note: "undefined") }
        if let flag = result.bool { return flag ? PolicyAnswer(outcome: .allowed) : denied(nil) }
        let note = String((result["reason"]?.string ?? "").prefix(longestNote))
        guard result["allow"]?.bool == true else { return denied(result["status"]?.integer, note: note) }
        var lines: [UInt8] = []
        for name in rules.answerHeaders {
            for member in result["headers"]?.members ?? [] where isSame(member.name, name) {
                let texts = member.node.string.map { [$0] } ?? member.node.array?.compactMap(\.string) ?? []
                for text in texts where !append(name, text, &lines) {
                    return failed("unusable", isOutage: false, rules.onFailure)
                }
            }
        }
        return PolicyAnswer(outcome: .allowed, fields: lines, note: note)
    }

    private static func status(_ response: OutboundResponse, _ rules: PolicyServerRules) -> PolicyAnswer {
        switch response.status {
        case 200..<300:
            var lines: [UInt8] = []
            for name in rules.answerHeaders {
                for value in response.values(of: name) where !append(name, value, &lines) {
                    return failed("unusable", isOutage: false, rules.onFailure)
                }
            }
            return PolicyAnswer(outcome: .allowed, fields: lines)
        case 401, 403, 404: return denied(Int64(response.status))
        default: return unusable(response, rules)
        }
    }

    private static func unusable(_ response: OutboundResponse, _ rules: PolicyServerRules) -> PolicyAnswer {
        failed(
            "status_\(response.status)", isOutage: response.status >= 500 || response.status == 429, rules.onFailure)
    }

    private static func denied(_ status: Int64?, note: String = "") -> PolicyAnswer {
        let reason: Reason =
            switch status {
            case 401: .policyLoginRequired
            case 404: .policyHidden
            default: .policyDenied
            }
        return PolicyAnswer(outcome: .denied, denial: reason, note: note)
    }

    /// Appends a line. False for a value that would be more than one line, or is too long: without a field that restricts
    /// the caller the upstream must not get the request.
    private static func append(_ name: String, _ value: String, _ lines: inout [UInt8]) -> Bool {
        let isValid = value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
        guard isValid, value.utf8.count <= longestValue else { return false }
        lines += "\(name): \(value)\r\n".utf8
        return true
    }

    private static let longestValue = 4096
    /// In characters.
    private static let longestNote = 256

    private static func isSame(_ name: String, _ other: String) -> Bool {
        name.isExactly(other) || name.lowercased().utf8.elementsEqual(other.lowercased().utf8)
    }

    /// `Cache-Control` (RFC 9111 section 5.2.2).
    private static func maximumAge(_ response: OutboundResponse) -> Int64? {
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
