import Bytes
import HTTP

/// The policy `Security_AllowOrigin`: which origins may send cross-site requests (CORS-01). The grammar is that of
/// section 4.0; the default is that none may.
package struct AllowOriginPolicy: Sendable {
    private let patterns: [URLPattern]
    /// What is odd about its entries, in their order.
    package let problems: [OriginPatternProblem]

    /// - Parameter text: `disallow`, or URL patterns separated by commas; nil and empty mean `disallow` (CORS-02).
    package init(_ text: String?) {
        let entries = URLPattern.entries(of: text)
        var patterns: [URLPattern] = []
        var problems: [OriginPatternProblem] = []
        if entries != [AllowOriginPolicy.disallow] {
            for entry in entries {
                let name = String(decoding: entry, as: UTF8.self)
                guard entry != AllowOriginPolicy.disallow else {
                    // AMB-14: the keyword means something only when it stands alone.
                    problems.append(OriginPatternProblem(pattern: name, kind: .keywordInList))
                    continue
                }
                do {
                    let pattern = try URLPattern(entry)
                    guard pattern.path.isEmpty else {
                        problems.append(OriginPatternProblem(pattern: name, kind: .path))
                        continue
                    }
                    if pattern.reachesTopLevel {
                        problems.append(OriginPatternProblem(pattern: name, kind: .wildcardInLastLabel))
                    }
                    patterns.append(pattern)
                } catch {
                    problems.append(OriginPatternProblem(pattern: name, kind: .invalid(error)))
                }
            }
        }
        self.patterns = patterns
        self.problems = problems
    }

    private static let disallow = Array("disallow".utf8)

    /// Whether the value of an `Origin` field is one origin that some pattern allows. Allocates nothing.
    package func allows(_ origin: Span<UInt8>) -> Bool {
        guard !patterns.isEmpty, let parts = SerializedOrigin(origin) else { return false }
        return allows(parts, of: origin)
    }

    func allows(_ parts: SerializedOrigin, of origin: Span<UInt8>) -> Bool {
        for i in patterns.indices where patterns[i].matches(parts, of: origin) { return true }
        return false
    }
}

/// What is odd about one entry of an allow list.
package struct OriginPatternProblem: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// Not a pattern: it never matches.
        case invalid(URLPatternError)
        /// It has a path, even if only `/`: an origin has none, so it never matches (CORS-04).
        case path
        /// `disallow` among other entries: it is dropped (AMB-14).
        case keywordInList
        /// It works, and may reach further than meant (AMB-16).
        case wildcardInLastLabel
    }

    /// The entry as it stands in the policy.
    package let pattern: String
    package let kind: Kind

    package var message: String {
        switch kind {
        case .invalid(let error): "\"\(pattern)\" never matches: a pattern \(error.explanation)"
        case .path: "\"\(pattern)\" never matches: an origin has no path and no trailing slash"
        case .keywordInList: "\"disallow\" has no meaning inside a list"
        case .wildcardInLastLabel: "\"\(pattern)\" has a wildcard in the last label and so reaches other domains"
        }
    }
}
