import Bytes

/// The policy `Security_SsoRedirectWhitelist`: targets that tokens may be posted to after a login (SSO-03 to SSO-05).
/// Scheme, host and port are matched as for `Security_AllowOrigin`; the path of a pattern is a prefix of whole
/// segments.
package struct RedirectWhitelist: Sendable {
    private struct Entry: Sendable {
        let pattern: URLPattern
        /// The path in pieces; none allows every path.
        let segments: [[UInt8]]

        /// Whole segments (AMB-17), case-sensitively; `*` as within a label (W28 to W30).
        func allows(_ path: [ArraySlice<UInt8>]) -> Bool {
            path.count >= segments.count
                && zip(segments, path).allSatisfy { pattern, segment in
                    SegmentGlob.matches(pattern.span, Array(segment).span, ignoringCase: false)
                }
        }
    }

    private let entries: [Entry]
    /// Problems of its entries, as messages, in order.
    package let problems: [String]

    /// - Parameter text: URL patterns separated by commas; nil and empty allow nothing (AMB-19).
    package init(_ text: String?) {
        var entries: [Entry] = []
        var problems: [String] = []
        for written in URLPattern.entries(of: text) {
            let name = "\"\(String(decoding: written, as: UTF8.self))\""
            do throws(URLPattern.Problem) {
                let pattern = try URLPattern(written)
                if pattern.reachesTopLevel {
                    // AMB-16.
                    problems.append("\(name) has a wildcard in the last label and so reaches other domains")
                }
                if pattern.isInClear { problems.append("tokens that go to \(name) can be read on the way") }
                entries.append(Entry(pattern: pattern, segments: RedirectWhitelist.segments(of: pattern.path)))
            } catch {
                problems.append("\(name) never matches: \(error.rawValue)")
            }
        }
        self.entries = entries
        self.problems = problems
    }

    /// Without the leading and the trailing slash (AMB-18).
    private static func segments(of path: [UInt8]) -> [[UInt8]] {
        var segments = path.dropFirst().split(separator: ASCII.slash, omittingEmptySubsequences: false).map(Array.init)
        if segments.last?.isEmpty == true { segments.removeLast() }
        return segments
    }

    /// The target of a `redirect_uri`, if it is allowed.
    package func target(_ text: String) -> RedirectTarget? {
        guard let target = RedirectTarget(text) else { return nil }
        let bytes = Array(text.utf8)
        let segments = target.segments
        let isAllowed = entries.contains { entry in
            entry.pattern.matches(target.origin, of: bytes.span) && entry.allows(segments)
        }
        return isAllowed ? target : nil
    }
}
