import Model

extension RouteAnswer {
    /// Members about the forwarded request and the upstream's response.
    private static let forwardingMembers =
        [
            "hostHeader", "requestHeaders", "injection", "upstreamAuth", "forwardCredential",
            "forwardClientCertificate",
            "responseTimeout", "upgrades", "endWithToken",
        ] + PathSpellings.members

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
        object.constrain([
            .exactlyOne(of: "upstream", "redirect", "response"), .needs("upstream", for: forwardingMembers),
        ])
        let fields = [target?.field, redirect?.field, response?.field].compactMap(\.self)
        if fields.isEmpty {
            let expected = "the name of an upstream, \"redirect\" or \"response\""
            return (object.needed("upstream", target, expected, placeholder: ""), nil)
        }
        for field in fields.dropFirst() {
            field.error(
                "a route has one target", expected: "one of \"upstream\", \"redirect\" and \"response\"")
        }
        let answer = redirect?.read().map(RouteAnswer.redirect) ?? response?.read().map(RouteAnswer.response)
        if target == nil { answer?.check(object) }
        return (target?.read() ?? "", answer)
    }

    /// A route without an upstream forwards nothing.
    private func check(_ object: ObjectReader) {
        for (name, field) in object.entries {
            if RouteAnswer.forwardingMembers.contains(name) {
                field.error("a route without an upstream forwards nothing", expected: "no \"\(name)\" here")
            }
            if name == "rewrite", !appendsPath {
                field.error(
                    "no path is appended", expected: "\"keepPath\": true in \"redirect\", or no \"rewrite\"")
            }
        }
    }

    private var appendsPath: Bool {
        if case .redirect(let redirect) = self { redirect.keepsPath } else { false }
    }
}
