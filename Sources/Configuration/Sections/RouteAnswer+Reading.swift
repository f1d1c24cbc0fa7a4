import Declaration
import Model

extension RouteAnswer {
    /// Members about the forwarded request and the upstream's response.
    private static let forwardingMembers =
        [
            "hostHeader", "requestHeaders", "injection", "upstreamAuth", "forwardCredential",
            "forwardClientCertificate",
            "responseTimeout", "upgrades", "endWithToken",
        ] + PathSpellings.members

    private static let target = KeyRule.exactlyOne(
        of: "upstream", "redirect", "response", several: "a route has one target",
        expected: "the name of an upstream, \"redirect\" or \"response\"")
    private static let forwarding = KeyRule.only(
        forwardingMembers, with: .not(.hasAny("redirect", "response")),
        because: "a route without an upstream forwards nothing"
    ).when(.not(.has("upstream")))

    /// Reads `upstream`, `redirect` and `response` of a route, which has exactly one of them.
    ///
    /// - Returns: the name of the upstream, empty for a route that answers by itself.
    static func read(_ object: inout ObjectReader) -> (upstream: String, answer: RouteAnswer?) {
        let target = object.take("upstream", .reference(to: .upstream), "Name of an upstream in `gateway.json`.")
        let redirect = object.take(
            "redirect", RouteRedirect.shape,
            "In place of an upstream: a [redirect](guides/routing.md#routes-without-an-upstream) to another URL.")
        let response = object.take(
            "response", RouteResponse.shape,
            "In place of an upstream: a [fixed response](guides/routing.md#routes-without-an-upstream).")
        object.rules(RouteAnswer.target, RouteAnswer.forwarding)
        let answer = redirect?.read().map(RouteAnswer.redirect) ?? response?.read().map(RouteAnswer.response)
        if target == nil, answer?.appendsPath == false {
            for (name, field) in object.entries where name == "rewrite" {
                field.error(
                    "no path is appended", expected: "\"keepPath\": true in \"redirect\", or no \"rewrite\"")
            }
        }
        return (target?.read() ?? "", answer)
    }

    private var appendsPath: Bool {
        if case .redirect(let redirect) = self { redirect.keepsPath } else { false }
    }
}
