import Declaration
import Model

extension RewriteRule {
    /// - Parameter path: of the route.
    static func shape(_ path: PathPattern) -> Shape<RewriteRule> {
        .object("a rewrite: {\"stripPrefix\", \"addPrefix\", \"location\"}") { object in
            RewriteRule(
                stripPrefix: object.optional(
                    "stripPrefix", Shape.pathPrefix.reading { strip($0, path) },
                    "Left out at the beginning of the path; the literal segments of `path` must begin with it."),
                addPrefix: object.optional(
                    "addPrefix", .pathPrefix, "Put in front of what is left, after the path of the upstream's `url`."),
                mapsLocation: object.flag(
                    "location", default: false,
                    """
                    Whether a `Location` of the upstream, by its own host or that of the request, is [mapped \
                    back](guides/routing.md#paths-and-hosts-of-forwarded-requests) to the path that clients request.
                    """))
        }
    }

    private static func strip(_ field: Field, _ path: PathPattern) -> PathPrefix? {
        guard let prefix = PathPrefix.read(field) else { return nil }
        guard prefix.begins(path) || path == .nothing else {
            return field.error(
                "paths of \"\(path.text)\" need not begin with \"\(prefix.text)\"",
                expected: "the first literal segments of \"path\"")
        }
        return prefix
    }
}

extension PathPrefix {
    /// The beginning of a path, such as `/api/v1`.
    fileprivate static func read(_ field: Field) -> PathPrefix? {
        let expected =
            "a path prefix such as \"/api\", percent-encoded where needed, without \"*\" and \"/\" at the end"
        return field.text(expected).flatMap { PathPrefix($0) ?? field.invalid(expected) }
    }
}

extension Shape<PathPrefix> {
    fileprivate static var pathPrefix: Shape { Shape(.pattern("^(/[^/*?#]+)+$"), read: PathPrefix.read) }
}

extension Shape<HostHeader> {
    static var hostHeader: Shape {
        Shape(.text) { field in
            let expected = "\"client\", \"upstream\", or a host such as \"api.example.com\" or \"api.example.com:8443\""
            return field.text(expected).flatMap { HostHeader($0) ?? field.invalid(expected) }
        }
    }
}
