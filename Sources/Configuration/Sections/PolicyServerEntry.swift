import Bytes
import Declaration
import Model

/// A server that is asked whether requests are allowed.
package struct PolicyServerEntry: Sendable {
    package var name = ""
    package var url: WebURL
    package var rules: PolicyServerRules
    /// The gateway's bearer token there; nil for none.
    package var token: Secret?
    package var tls: UpstreamTLSEntry?
    package var connectTimeout: Duration
    package var readTimeout: Duration

    static let list = shape.byName("an object of policy servers by name", "invalid name of a policy server") {
        $0.name = $1
    }

    private static let shape = Shape.object("a policy server: {\"url\"}") { object in
        let allowsHTTP = object.flag(
            "allowHttp", default: false, "Whether the server may be asked without TLS; for development only.")
        let url = object.required(
            "url", .url(allowHTTP: allowsHTTP), "an https:// URL", placeholder: WebURL(.placeholder),
            "Where the server is asked, such as `https://policy.example.com/v1/data/api/allow`.")
        let rules = rules(&object)
        return PolicyServerEntry(
            url: url, rules: rules,
            token: object.optional("token", .secret, "The gateway's bearer token there; none by default."),
            tls: object.optional(
                "tls", UpstreamTLSEntry.shape(namesServer: false),
                "How the server is trusted, and the gateway's certificate for it."),
            connectTimeout: object.value(
                "connectTimeout", .duration, default: .seconds(1), "Time for name resolution, connection and handshake."
            ),
            readTimeout: object.value("readTimeout", .duration, default: .seconds(2), "Time for the whole answer."))
    }

    static func rules(
        _ object: inout ObjectReader, formats: [any PolicyFormat.Type] = PolicyFormats.all
    ) -> PolicyServerRules {
        var rules = PolicyServerRules()
        let format = object.value(
            "format", .choice(formats.map { $0.name }), default: formats[0].name,
            "\(formats.map { $0.meaning }.joined(separator: "; ")).")
        rules.format = formats.first { $0.name == format } ?? rules.format
        let failure = object.take(
            "onFailure", Shape<PolicyServerRules.FailureMode>.choice, default: .deny,
            "What happens to requests while the server cannot be reached. `allow` admits them undecided.")
        rules.onFailure = failure?.read() ?? .deny
        if rules.onFailure == .allow, let failure, failure.field.findings.production {
            failure.field.warning(
                "requests pass while the server does not answer", expected: "\"onFailure\": \"deny\"")
        }
        let headers = object.take(
            "inputHeaders", fields(ofAnswer: false), "Request fields that the question has; none by default.")
        rules.inputHeaders = headers?.read() ?? []
        readQuestion(&object, &rules, formats)
        for name in rules.inputHeaders where rules.format.ownFields.contains(name.lowercased()) {
            let others = formats.filter { !$0.ownFields.contains(name.lowercased()) }
            headers?.field.error(
                "the call has a \"\(name)\" of its own", expected: expected(others.map { $0.name }))
        }
        object.read(
            "answerHeaders", fields(ofAnswer: true), into: &rules.answerHeaders,
            """
            Fields of the answer that the upstream gets; none by default. Clients can send them on no route.
            """)
        object.read(
            "maxCalls", .integer(1...128, "a number of calls"), into: &rules.maximumCalls,
            "Maximum number of calls under way.")
        if let read = object.optional(
            "circuitBreaker", circuit, "When a failing server is left alone for a while.")
        {
            rules.breaker = read
        }
        if let cache = object.optional("cache", cache, "How long answers are kept; not at all by default.") {
            (rules.allowedMilliseconds, rules.deniedMilliseconds, rules.maximumEntries) = cache
        }
        return rules
    }

    /// What only some formats have.
    private static func readQuestion(
        _ object: inout ObjectReader, _ rules: inout PolicyServerRules, _ formats: [any PolicyFormat.Type]
    ) {
        let withClaims = formats.filter { $0.hasClaims }.map { $0.name }
        let claims = object.optional(
            "claims", ClaimPath.shape.list("an array of claims"),
            """
            Claims of the caller that the question has, for \(withClaims.map { "`\($0)`" }.joined(separator: " and ")); \
            none by default.
            """)
        let withEvaluations = formats.filter { $0.hasEvaluations }.map { $0.name }
        let evaluations = object.optional(
            "evaluations", PolicyEvaluation.shape.list("an array of evaluations", minimum: 1, maximum: 32),
            """
            Decisions that one question asks for, each of which must be true, for \
            \(withEvaluations.map { "`\($0)`" }.joined(separator: " and ")); one of method and path by default.
            """)
        (rules.claims, rules.evaluations) = (claims ?? [], evaluations ?? [])
        object.rules(
            .only(
                "claims", with: .not(KeyCondition.format(formats.filter { !$0.hasClaims })),
                because: "questions of this format have no claims", expected: expected(withClaims)),
            .only(
                "evaluations", with: .format(formats.filter { $0.hasEvaluations }),
                because: "questions of this format ask for one decision", expected: expected(withEvaluations)))
    }

    private static func expected(_ formats: [String]) -> String {
        "\"format\": \(formats.map { "\"\($0)\"" }.joined(separator: " or "))"
    }

    private static let circuit = Shape.object("an object: {\"failures\", \"pause\", \"longestPause\"}") { object in
        var read = PolicyServerRules().breaker
        object.read(
            "failures", .integer(0...10_000, "a number of failures"), into: &read.failures,
            "Failures in a row; 0 for never.")
        object.read(
            "pause", .milliseconds, into: &read.pauseMilliseconds, "First pause; each further one is twice as long.")
        object.read("longestPause", .milliseconds, into: &read.longestPauseMilliseconds, "Longest pause.")
        return read
    }

    private static let cache = Shape.object("an object: {\"for\", \"denials\", \"maxEntries\"}") { object in
        let allowed = object.required(
            "for", .milliseconds, "a duration", placeholder: 0,
            "How long permissions are kept; `max-age` of the answer shortens it. A change there is not seen for so long."
        )
        return (
            allowed: allowed,
            denied: object.value("denials", .milliseconds, default: 0, "The same of refusals; not kept by default."),
            entries: object.value(
                "maxEntries", .integer(1...10_000_000, "a number of answers"), default: 10_000, "Most answers.")
        )
    }

    /// Fields that the gateway writes or that have credentials.
    private static let reserved = Set(CallerFields.credentials.map { $0.lowercased() }).union([
        "proxy-authorization", "cookie", "set-cookie", "x-api-key", "host", "content-length", "transfer-encoding",
        "connection", "keep-alive", "te", "trailer", "upgrade", "expect", "via", "x-request-id", "date",
    ])

    private static func fields(ofAnswer isAnswer: Bool) -> Shape<[String]> {
        .texts(.list(.headerName)) { field in
            field.names("an array of names of header fields") { element in
                guard let name = element.headerName() else { return nil }
                guard !reserved.contains(name.lowercased()) else {
                    return element.error(
                        "\"\(name)\" has a credential, or is written by the gateway", expected: "another field")
                }
                return name
            }
        }
    }
}

extension AccessRule {
    /// Policy servers: one name or a list, which may be empty.
    static let policies = Shape<[String]>.texts(
        .either([ReferenceKind.policyServer.form, .list(ReferenceKind.policyServer.form)])
    ) { field in
        field.node.array == nil
            ? field.reference(to: .policyServer).map { [$0] } : field.references(to: .policyServer)
    }
}

extension KeyCondition {
    fileprivate static func format(_ formats: [any PolicyFormat.Type]) -> KeyCondition {
        let conditions = formats.map { KeyCondition.equals("format", $0.name) }
        return conditions.count == 1 ? conditions[0] : .any(conditions)
    }
}

extension PolicyEvaluation {
    fileprivate static let shape = Shape.object(
        "an object: {\"action\", \"resourceType\", \"resourceId\"}"
    ) { object in
        PolicyEvaluation(
            action: object.optional(
                "action", .name,
                "Name of the action; the method of the request by default. `{name}` is a variable of the route's path."),
            resourceType: object.value("resourceType", .name, default: "route", "Type of the resource."),
            resourceID: object.optional(
                "resourceId", .name, "Id of the resource, such as `{owner}`; the path of the request by default."))
    }
}
