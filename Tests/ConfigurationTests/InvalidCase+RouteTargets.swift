/// Mistakes in what routes answer and in the conditions that choose them.
extension InvalidCase {
    static let routeTargetCases: [InvalidCase] = [
        InvalidCase(
            "slashes-word", routes(route("/a/**", #""encodedSlashes": "decode""#)),
            #"routes.json:2: error: /routes/0/encodedSlashes: invalid value (expected "refuse" or "keep", found "decode")"#
        ),
        InvalidCase(
            "characters-slash", routes(route("/a/**", #""encodedCharacters": ["%2f"]"#)),
            #"routes.json:2: error: /routes/0/encodedCharacters/0: it has a setting of its own (expected "encodedSlashes": "keep")"#
        ),
        InvalidCase(
            "characters-other", routes(route("/a/**", #""encodedCharacters": ["%2E"]"#)),
            #"routes.json:2: error: /routes/0/encodedCharacters/0: invalid value (expected "%5C" or "%25", found "%2E"; did you mean "%25"?)"#
        ),
        InvalidCase(
            "characters-twice", routes(route("/a/**", #""encodedCharacters": ["%25", "%25"]"#)),
            #"routes.json:2: error: /routes/0/encodedCharacters/1: "%25" is listed twice"#
        ),
        InvalidCase(
            "slashes-without-upstream",
            routes(#"{ "path": "/a/**", "response": { "status": 200 }, "mergeSlashes": false }"#),
            #"routes.json:2: error: /routes/0/mergeSlashes: a route without an upstream forwards nothing (expected no "mergeSlashes" beside "response")"#
        ),
        InvalidCase(
            "conditions-twice",
            routes(
                route("/a", #""headers": { "X-A": "1" }, "query": { "b": true }"#),
                route("/a", #""name": "b", "query": { "b": true }, "headers": { "x-a": "1" }"#),
                route("/a", #""name": "c", "headers": { "x-a": "1" }"#)),
            #"routes.json:3: error: /routes/1: unreachable route: /routes/0 takes every method of "/a" (expected another path, host or method)"#
        ),
        InvalidCase(
            "condition-false", routes(route("/a", #""headers": { "X-A": false }"#)),
            #"routes.json:2: error: /routes/0/headers/X-A: wrong type (expected visible ASCII text, or true, found false)"#
        ),
        InvalidCase(
            "condition-empty", routes(route("/a", #""headers": { "X-A": "" }"#)),
            #"routes.json:2: error: /routes/0/headers/X-A: invalid value (expected visible ASCII text, or true, found "")"#
        ),
        InvalidCase(
            "condition-secret", routes(route("/a", #""headers": { "Authorization": true }"#)),
            #"routes.json:2: error: /routes/0/headers/Authorization: routes are not chosen by "authorization" (expected another field)"#
        ),
        InvalidCase(
            "condition-name", routes(route("/a", #""headers": { "X A": true }"#)),
            #"routes.json:2: error: /routes/0/headers/X A: "X A" is no name of a field (expected a header field name)"#
        ),
        InvalidCase(
            "condition-alias", routes(route("/a", "\"headers\": { \"X-A\": true,\n\"x-a\": \"1\" }")),
            #"routes.json:3: error: /routes/0/headers/x-a: "x-a" is named twice (expected each name once)"#
        ),
        InvalidCase(
            "condition-none", routes(route("/a", #""query": {}"#)),
            #"routes.json:2: error: /routes/0/query: no condition (expected an object of values by parameter)"#
        ),
        InvalidCase(
            "condition-control", routes(route("/a", #""query": { "a": "b\n" }"#)),
            #"routes.json:2: error: /routes/0/query/a: invalid value (expected a text without control characters, or true, found "b\u000a")"#
        ),
        InvalidCase(
            "no-target", routes(#"{ "path": "/a" }"#),
            #"routes.json:2: error: /routes/0/upstream: required member "upstream" is missing (expected the name of an upstream, "redirect" or "response")"#
        ),
        InvalidCase(
            "two-targets", routes(route("/a", "\n\"redirect\": { \"to\": \"/b\" }")),
            #"routes.json:3: error: /routes/0/redirect: a route has one target (expected one of "upstream", "redirect" and "response")"#
        ),
        InvalidCase(
            "redirect-to", routes(#"{ "path": "/a", "redirect": { "to": "//b.example" } }"#),
            #"routes.json:2: error: /routes/0/redirect/to: invalid value (expected an http or https URL, or a path such as "/new", found "//b.example")"#
        ),
        InvalidCase(
            "redirect-status", routes(#"{ "path": "/a", "redirect": { "to": "/b", "status": 300 } }"#),
            #"routes.json:2: error: /routes/0/redirect/status: invalid value (expected 301, 302, 303, 307 or 308, found 300)"#
        ),
        InvalidCase(
            "redirect-query", routes(#"{ "path": "/a", "redirect": { "to": "/b?c", "keepQuery": true } }"#),
            #"routes.json:2: error: /routes/0/redirect/keepQuery: nothing can be appended to a query (expected a URL without a query in "to")"#
        ),
        InvalidCase(
            "redirect-rewrite",
            routes(#"{ "path": "/a/**", "redirect": { "to": "/b" }, "rewrite": { "stripPrefix": "/a" } }"#),
            #"routes.json:2: error: /routes/0/rewrite: no path is appended (expected "keepPath": true in "redirect", or no "rewrite")"#
        ),
        InvalidCase(
            "redirect-forwarding", routes(#"{ "path": "/a", "redirect": { "to": "/b" }, "upgrades": [] }"#),
            #"routes.json:2: error: /routes/0/upgrades: a route without an upstream forwards nothing (expected no "upgrades" beside "redirect")"#
        ),
        InvalidCase(
            "redirect-token", routes(#"{ "path": "/a", "redirect": { "to": "/b" }, "endWithToken": true }"#),
            #"routes.json:2: error: /routes/0/endWithToken: a route without an upstream forwards nothing (expected no "endWithToken" beside "redirect")"#
        ),
        InvalidCase(
            "handshake-field", routes(route("/a", #""responseHeaders": { "remove": ["Sec-WebSocket-Accept"] }"#)),
            #"routes.json:2: error: /routes/0/responseHeaders/remove/0: the field "Sec-WebSocket-Accept" belongs to the gateway (expected another field)"#
        ),
        InvalidCase(
            "log-sample", gateway: #""log": { "sample": 0 }"#,
            #"gateway.json:5: error: /log/sample: out of range (expected a number of requests from 1 to 1000000, found 0)"#
        ),
        InvalidCase(
            "redirect-field",
            routes(
                #"{ "path": "/a", "redirect": { "to": "/b" }, "responseHeaders": { "set": { "Location": "/c" } } }"#),
            #"routes.json:2: error: /routes/0/responseHeaders/set/Location: the route's answer has the field "Location" by itself (expected "to")"#
        ),
        InvalidCase(
            "response-status", routes(#"{ "path": "/a", "response": { "status": 101 } }"#),
            #"routes.json:2: error: /routes/0/response/status: out of range (expected a status from 200 to 599, found 101)"#
        ),
        InvalidCase(
            "response-type", routes(#"{ "path": "/a", "response": { "contentType": "text\r\nX: y" } }"#),
            #"routes.json:2: error: /routes/0/response/contentType: invalid value (expected a media type such as "text/plain" or "text/html; charset=utf-8", found "text\u000d\u000aX: y")"#
        ),
        InvalidCase(
            "response-bodiless", routes(#"{ "path": "/a", "response": { "status": 204, "body": "x" } }"#),
            #"routes.json:2: error: /routes/0/response/body: a response with status 204 has no body (expected no "body")"#
        ),
        InvalidCase(
            "response-body",
            routes("{ \"path\": \"/a\", \"response\": { \"body\": \"\(String(repeating: "a", count: 65_537))\" } }"),
            "routes.json:2: error: /routes/0/response/body: the body is too long (expected a text of at most 65536 bytes, found 65537)"
        ),
    ]
}
