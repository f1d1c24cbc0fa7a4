/// The policy `Security_AllowOrigin`: origins that may send cross-site requests (CORS-01), by the grammar of section
/// 4.0. The default is none.
package struct AllowOriginPolicy: Sendable {
    /// The text of the policy.
    package let text: String
    package let patterns: [URLPattern]
    /// Problems of its entries, in order.
    package let problems: [Problem]

    /// A problem of an entry.
    package struct Problem: Equatable, Sendable {
        package enum Kind: Equatable, Sendable {
            /// Not a pattern: it never matches.
            case invalid(URLPattern.Problem)
            /// It has a path, even if only `/`, so that it never matches an origin (CORS-04).
            case path
            /// `disallow` among other entries, which is ignored (AMB-14).
            case keywordInList
            /// It may match more than intended (AMB-16).
            case wildcardInLastLabel
        }

        /// The entry in the policy.
        package let pattern: String
        package let kind: Kind
    }

    /// - Parameter text: `disallow`, or URL patterns separated by commas; empty means `disallow` (CORS-02).
    package init(_ text: String) {
        let entries = URLPattern.entries(of: text)
        let disallow = Array("disallow".utf8)
        var patterns: [URLPattern] = []
        var problems: [Problem] = []
        for entry in entries == [disallow] ? [] : entries {
            func report(_ kind: Problem.Kind) {
                problems.append(Problem(pattern: String(decoding: entry, as: UTF8.self), kind: kind))
            }
            // AMB-14: the keyword only has a meaning alone.
            if entry == disallow {
                report(.keywordInList)
                continue
            }
            do throws(URLPattern.Problem) {
                let pattern = try URLPattern(entry)
                if !pattern.path.isEmpty {
                    report(.path)
                    continue
                }
                if pattern.reachesTopLevel { report(.wildcardInLastLabel) }
                patterns.append(pattern)
            } catch {
                report(.invalid(error))
            }
        }
        self.text = text
        self.patterns = patterns
        self.problems = problems
    }

    /// The policy that allows no origin.
    package static let disallow = AllowOriginPolicy("disallow")

    /// Whether a pattern allows the value of an `Origin` field. Allocates nothing.
    package func allows(_ origin: Span<UInt8>) -> Bool {
        guard !patterns.isEmpty, let parts = try? SerializedOrigin(origin) else { return false }
        return allows(parts, of: origin)
    }

    /// The same for a parsed origin.
    package func allows(_ parts: SerializedOrigin, of origin: Span<UInt8>) -> Bool {
        for i in patterns.indices where patterns[i].matches(parts, of: origin) { return true }
        return false
    }
}
