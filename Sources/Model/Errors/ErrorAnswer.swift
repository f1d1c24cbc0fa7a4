import Bytes

/// How errors of some statuses or reasons are answered.
package struct ErrorAnswer: Sendable {
    package enum Content: Sendable {
        case body(ErrorTemplate, contentType: String)
        /// Only for browsers, which ask for a page by GET or HEAD.
        case redirect(ErrorTemplate)
    }

    /// Statuses that have this answer; empty for all.
    package var statuses: [ClosedRange<Int>] = []
    /// Codes of reasons that have this answer; empty for all.
    package var reasons: [String] = []
    package var content: Content
    /// Status of the answer; nil for that of the error, or 302.
    package var status: Int?
    /// Fields of the answer beside those of the route.
    package var fields: [FieldRules.Line] = []

    /// The longest text of a template, in bytes.
    package static let maximumBytes = 65_536
    package static let standardType = "text/html; charset=utf-8"
    package static let redirects = [302, 303, 307]
    /// Statuses that need a field that only the error with this status has.
    package static let bound = [401, 405, 407, 426]

    package init(content: Content) { self.content = content }

    package func matches(_ reason: Reason) -> Bool {
        (reasons.isEmpty || reasons.contains { bytesEqual($0.utf8.span, reason.bytes) })
            && (statuses.isEmpty || statuses.contains { $0.contains(reason.status) })
    }

    package var template: ErrorTemplate {
        switch content {
        case .body(let template, _), .redirect(let template): template
        }
    }

    /// Whether it is what browsers show or follow.
    package var isForBrowsers: Bool {
        guard case .body(_, let type) = content else { return true }
        return ["text/html", "application/xhtml+xml"].contains(type.prefix { $0 != ";" && $0 != " " }.lowercased())
    }

    /// The claims that it needs.
    package var claims: [ClaimPath] { template.claims + fields.flatMap(\.value.claims) }
}
