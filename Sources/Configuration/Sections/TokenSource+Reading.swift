import Declaration
import Model

extension TokenSource {
    private static let expected = "a place of tokens: {\"header\"}, {\"cookie\"} or {\"query\"}"

    static let list = Shape<TokenSource?>.object(expected) { object in
        let header = object.optional(
            "header", .headerName, "A header field; `Authorization` with the scheme `Bearer` is usual.")
        let scheme = object.take(
            "scheme", .headerName,
            "What comes before the token in the field, compared without case; by default nothing.")
        let cookie = object.optional("cookie", .headerName, "A cookie; it counts if there is no other credential.")
        let query = object.take(
            "query", .text(.pattern("^[A-Za-z0-9._~-]+$")) { $0.headerName() },
            "A parameter of the query, which others may log.")
        object.rules(
            .exactlyOne(of: "header", "cookie", "query", none: "no place", several: "more than one place"),
            .only("scheme", with: .has("header"), because: "\"scheme\" is for a header field"))
        let parameter = query?.read()
        if let query {
            query.field.warning(
                "queries are kept in logs and histories that others read", expected: "a header field")
        }
        let sources = [
            header.map { TokenSource.header(canonical($0), scheme: scheme?.read().map(canonical)) },
            cookie.map { .cookie($0) }, parameter.map { .query($0) },
        ].compactMap(\.self)
        return sources.first
    }
    .list("an array, each element \(expected)", minimum: 1)
    .map({ $0.compactMap(\.self) })

    /// `Authorization` and `Bearer` as the standard writes them.
    private static func canonical(_ name: String) -> String {
        ["Authorization", "Bearer"].first { $0.lowercased() == name.lowercased() } ?? name
    }
}
