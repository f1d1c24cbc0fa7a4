import Bytes
import Declaration
import Model

extension RateLimit {
    /// The named limits of `gateway.json`.
    static let list = shape.byName("an object of rate limits by name", "invalid name of a rate limit") { $0.name = $1 }

    static let shape = Shape.object("a rate limit: {\"requests\", \"per\", \"burst\", \"key\"}") { object in
        let count = Shape.integer(1...1_000_000_000, "a number of requests")
        let requests = object.required(
            "requests", count, "a number of requests", placeholder: 1, "Requests in the time of `per`.")
        return RateLimit(
            requests: requests,
            perMilliseconds: object.value("per", .milliseconds, default: 1000, "The time for these requests."),
            burst: object.optional("burst", count, "Requests that may come at once; `requests` by default.")
                ?? requests,
            key: object.value(
                "key", .choice, default: RateLimitKey.route,
                """
                Requests that are counted together: all of the `route`, those of one `principal`, or those of one \
                `address`. Requests without a caller count by address.
                """))
    }
    .named("rateLimit")
}

extension RateLimitReference {
    /// One limit or a list of them, each a name or a limit of the route's own.
    static let shape = Shape(
        .either([limit, .list(limit, minimum: 1, isUnique: false)]), read: { RateLimitReference.readAll($0) })

    private static var limit: Form {
        .named(
            "routeRateLimit", .either([ReferenceKind.rateLimit.form, RateLimit.shape.form()]))
    }

    private static func readAll(_ field: Field) -> [RateLimitReference]? {
        guard let elements = field.node.array == nil ? [field] : field.elements("an array of rate limits") else {
            return nil
        }
        if elements.isEmpty { field.error("the list is empty", expected: "at least one limit, or no \"rateLimit\"") }
        var names: [String] = []
        return elements.compactMap { element in
            guard element.node.string != nil else {
                guard element.node.members != nil else {
                    return element.wrongType("the name of a rate limit, or {\"requests\", \"per\", \"burst\", \"key\"}")
                }
                return RateLimit.shape.read(element).map { .own($0) }
            }
            guard let name = element.reference(to: .rateLimit) else { return nil }
            if names.contains(name) { element.error("\"\(name)\" is listed twice") }
            names.append(name)
            return .named(name)
        }
    }
}
