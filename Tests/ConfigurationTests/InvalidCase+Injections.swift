/// Mistakes in the tokens for upstreams.
extension InvalidCase {
    static let injectionCases: [InvalidCase] = [
        InvalidCase(
            "injection-twice",
            routes(
                route(
                    "/a", #""injection": [{"issuer": "local", "header": "X-A"}, {"issuer": "local", "header": "x_a"}]"#)
            ),
            #"routes.json:2: error: /routes/0/injection/1: the field "X-A" carries the token of /routes/0/injection/0 (expected a "header" of its own for each injection, found "x_a")"#
        ),
        InvalidCase(
            "injection-none", routes(route("/a", #""injection": []"#)),
            #"routes.json:2: error: /routes/0/injection: no injections (expected 1 to 8)"#),
        InvalidCase(
            "injections-challenged",
            routes(
                route(
                    "/a",
                    #""injection": [{"issuer": "local"}, {"issuer": "local", "header": "X-A"}], "upstreamAuth": "oam-challenge""#
                )),
            #"routes.json:2: error: /routes/0/upstreamAuth: the upstream's challenges are answered with one token (expected one "injection", found 2)"#
        ),
        InvalidCase(
            "signed-identity-twice",
            routes(
                route(
                    "/a",
                    #""injection": {"issuer": "local", "header": "x_pomerium_jwt_assertion"}, "requestHeaders": {"preset": "pomerium-jwt"}"#
                )),
            #"routes.json:2: error: /routes/0/requestHeaders/preset: the route writes the field "x_pomerium_jwt_assertion" itself (expected it at one place)"#
        ),
    ]
}
