import Bytes

/// What a claim of the caller must be.
package struct ClaimRule: Hashable, Sendable {
    /// A text, number or truth value that a claim is compared with. Values of different types are never equal.
    package enum Operand: Hashable, Sendable {
        case text(String)
        /// A JSON number as it is written.
        case number(String)
        case flag(Bool)
        /// The value of a variable of the route's path, at the place of its segment.
        case variable(String, place: Int)
    }

    package enum Test: Hashable, Sendable {
        case equals(Operand)
        case isIn([Operand])
        /// The claim is an array with this element, or this value.
        case contains(Operand)
        /// Whether the claim is there and not null.
        case exists(Bool)
        /// The claim is an e-mail address of one of these domains, which are in lower case. It says nothing of its owner unless
        /// the issuer has verified it.
        case domain([String])
    }

    /// Whether the issuer has verified the claim `email` (OpenID Connect Core section 5.1). Some issuers write a text.
    package static let verifiedEmail = ClaimRule(
        ClaimPath(literal: "email_verified"), [.isIn([.flag(true), .text("true")])])

    package let path: ClaimPath
    /// All of these must hold.
    package let tests: [Test]

    package init(_ path: ClaimPath, _ tests: [Test]) {
        self.path = path
        self.tests = tests
    }

    /// - Parameters:
    ///   - claim: the value at `path`; nil for none.
    ///   - requested: the canonical path of the request.
    package func isMet(by claim: JSONNode?, requested: Span<UInt8>) -> Bool {
        for test in tests where !test.holds(of: claim, requested) { return false }
        return true
    }
}

extension ClaimRule.Test {
    fileprivate func holds(of claim: JSONNode?, _ requested: Span<UInt8>) -> Bool {
        switch self {
        case .exists(let expected): return expected == (claim != nil && claim?.value != .null)
        case .equals(let operand):
            guard let claim else { return false }
            return operand.equals(claim, requested)
        case .isIn(let operands):
            guard let claim else { return false }
            for operand in operands where operand.equals(claim, requested) { return true }
            return false
        case .contains(let operand):
            guard let claim else { return false }
            guard let elements = claim.array else { return operand.equals(claim, requested) }
            for element in elements where operand.equals(element, requested) { return true }
            return false
        case .domain(let domains):
            let parts = claim?.string?.split(separator: "@", omittingEmptySubsequences: false) ?? []
            guard parts.count == 2, !parts[0].isEmpty else { return false }
            return domains.contains { bytesEqualIgnoringCase(Array($0.utf8).span, Array(parts[1].utf8).span) }
        }
    }
}

extension ClaimRule.Operand {
    fileprivate func equals(_ claim: JSONNode, _ requested: Span<UInt8>) -> Bool {
        switch (self, claim.value) {
        case (.variable(_, let place), .string(let text)), (.variable(_, let place), .number(let text)):
            PathPattern.value(at: place, in: requested)?.elementsEqual(text.utf8) ?? false
        // By bytes: other characters that look the same are another value.
        case (.text(let text), .string(let other)): text.isExactly(other)
        case (.flag(let flag), .bool(let other)): flag == other
        case (.number(let text), .number(let other)): text == other || JSONNode(.number(text)).integer == claim.integer
        default: false
        }
    }
}

extension ClaimRule: CustomStringConvertible {
    package var description: String {
        tests.map { test in
            switch test {
            case .equals(let operand): "\(path.text) = \(operand)"
            case .isIn(let operands): "\(path.text) in \(operands.map(\.description).joined(separator: ", "))"
            case .contains(let operand): "\(path.text) contains \(operand)"
            case .domain(let domains): "\(path.text) of the domain \(domains.joined(separator: " or "))"
            case .exists(let expected): expected ? "\(path.text) exists" : "no \(path.text)"
            }
        }.joined(separator: " and ")
    }
}

extension ClaimRule.Operand: CustomStringConvertible {
    package var description: String {
        switch self {
        case .text(let text): "\"\(text)\""
        case .number(let text): text
        case .flag(let flag): "\(flag)"
        case .variable(let name, _): "{\(name)}"
        }
    }
}
