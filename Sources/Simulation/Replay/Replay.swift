import Bytes
import Identity
import Model
import Policy

/// How requests of an access log would be decided by other rules.
package struct Replay: Sendable {
    /// Requests of one kind that would be decided otherwise.
    package struct Difference: Sendable {
        package let access: DifferenceClass.Access
        package let route: String
        package let caller: String
        package let before: String
        package let after: String
        package fileprivate(set) var count = 0
        /// A few of them: method and path.
        package fileprivate(set) var examples: [String] = []
    }

    /// Requests that were decided again.
    package private(set) var replayed = 0
    /// Requests whose decision depends on what the log does not tell.
    package private(set) var undecided = 0
    /// Lines that were not decided again.
    package private(set) var omitted: [LoggedRequest.Omission: Int] = [:]
    private var found: [Key: Difference] = [:]
    private let simulator: Simulator
    /// Values that rules compare claims with, by the text of the path.
    private let values: [String: [JSONNode]]
    private static let mostExamples = 3

    private struct Key: Hashable {
        let route: String
        let caller: String
        let before: String
        let after: String
    }

    package init(_ rules: RuleSet) {
        simulator = rules.simulator
        var values: [String: [JSONNode]] = [:]
        for rule in rules.policy.routes.routes.flatMap(\.entry.rules).flatMap(\.claims) {
            values[rule.path.text, default: []] += rule.tests.flatMap(\.values)
        }
        self.values = values
    }

    /// Those who gain access first, and of these the most frequent.
    package var differences: [Difference] {
        DifferenceClass.Access.allCases.flatMap { access in
            found.values.filter { $0.access == access }.sorted {
                ($0.count, $1.route, $1.caller) > ($1.count, $0.route, $0.caller)
            }
        }
    }

    /// Decides about the request of a line.
    package mutating func add(line: [UInt8]) {
        if line.isEmpty { return }
        do throws(LoggedRequest.Omission) {
            add(try LoggedRequest(line: line))
        } catch {
            omitted[error, default: 0] += 1
        }
    }

    private mutating func add(_ request: LoggedRequest) {
        let caller = request.holder(knowing: values)
        let verdict =
            caller.map { simulator.verdict(on: request.description, by: $0) }
            ?? simulator.verdict(on: request.description)
        if dependsOnUnknown(verdict, request) {
            undecided += 1
            return
        }
        replayed += 1
        // An answer of the route's own counts as letting in, and a login as asking for a credential.
        let isSame =
            verdict.isAdmitted == (request.isAdmitted || request.status < 300 && request.reason == "responded")
            && (verdict.isAdmitted || verdict.reason?.code == request.reason)
        if isSame { return }
        let before = request.isAdmitted ? "let in" : "\(request.status) \(request.reason)"
        let route = verdict.route ?? request.route ?? "no route"
        let key = Key(route: route, caller: request.caller, before: before, after: verdict.summary)
        let access: DifferenceClass.Access =
            verdict.isAdmitted == request.isAdmitted ? .changed : verdict.isAdmitted ? .gained : .lost
        var difference =
            found[key]
            ?? Difference(
                access: access, route: route, caller: request.caller, before: before, after: verdict.summary)
        difference.count += 1
        let example = "\(request.method) \(request.path)"
        if difference.examples.count < Replay.mostExamples, !difference.examples.contains(example) {
            difference.examples.append(example)
        }
        found[key] = difference
    }

    /// Whether the rules ask for something of the caller that the log does not tell.
    private func dependsOnUnknown(_ verdict: Verdict, _ request: LoggedRequest) -> Bool {
        guard let reason = verdict.reason else { return false }
        // What was let in or refused before its credential was looked at may have had one.
        if request.known == nil { return reason.status == 401 && request.reason != Reason.missingCredential.code }
        if reason.code == request.reason { return false }
        switch reason {
        case .wrongAudience, .authenticationTooWeak, .authenticationTooOld, .tokenUnbound: return true
        case .claimRequired:
            let route = simulator.policy.routes.routes.first { $0.name == verdict.route }
            return route?.entry.access.claims.contains { !request.tells($0.path) } ?? true
        default: return false
        }
    }
}

extension ClaimRule.Test {
    /// The values that a claim is compared with.
    fileprivate var values: [JSONNode] {
        switch self {
        case .equals(let operand), .contains(let operand): [operand.value].compactMap(\.self)
        case .isIn(let operands): operands.compactMap(\.value)
        case .exists, .domain: []
        }
    }
}

extension ClaimRule.Operand {
    /// Nil for a variable of a path.
    fileprivate var value: JSONNode? {
        switch self {
        case .text(let text): .text(text)
        case .number(let number): JSONNode(.number(number))
        case .flag(let flag): .flag(flag)
        case .variable: nil
        }
    }
}
