/// Mistakes in answers to errors and in challenges.
extension InvalidCase {
    private static func answer(_ members: String) -> [String: String] {
        routes(route("/a", "\"errors\": [{ \(members) }]"))
    }

    private static let place =
        "stands where its value could become something else (expected placeholders in text, quoted attributes, strings of JSON, or the query of a URL)"
    private static let location =
        "invalid value (expected an http or https URL or a path such as \"/sorry\", with values of the request in the query alone, found "

    static let errorCases: [InvalidCase] =
        answerCases + challengeCases
        + redirects.map { id, target in
            let shown = target.replacing("\\\\", with: "\\").replacing("//a@", with: "//***@")
            return InvalidCase(
                "error-\(id)", answer("\"status\": 403, \"redirect\": \"\(target)\""),
                "routes.json:2: error: /routes/0/errors/0/redirect: \(location)\"\(shown)\")")
        }
        + places.map { id, type, body, name in
            InvalidCase(
                "error-\(id)",
                answer(
                    "\"status\": 403, \"contentType\": \"\(type)\", \"body\": \"\(body.replacing("\"", with: "\\\""))\""
                ),
                "routes.json:2: error: /routes/0/errors/0/body: \"${\(name)}\" \(place)")
        }

    /// Targets that could lead to another host, or are no URLs.
    private static let redirects = [
        ("host-slashes", "//evil.example"), ("host-backslash", "/\\\\evil.example"), ("scheme", "javascript:alert(1)"),
        ("no-slash", "sorry"), ("user", "https://a@evil.example/"), ("blank", "/a b"),
    ]

    /// Placeholders whose values no escaping keeps from becoming something else.
    private static let places = [
        ("script", "text/html", "<script>var u = '${user}';</script>", "user"),
        ("style", "text/html", "<STYLE>a{b:${path}}</style>", "path"),
        ("handler", "text/html", "<a onclick=\"f('${user}')\">x</a>", "user"),
        ("link", "text/html", "<a href = \"${path}\">x</a>", "path"),
        ("script-link", "text/html", "<a href=\"javascript:f('?${path}')\">x</a>", "path"),
        ("unquoted", "text/html", "<a title=${user}>x</a>", "user"),
        ("tag", "text/html", "<${user}>", "user"),
        ("attribute", "text/html", "<a ${user}>", "user"),
        ("comment", "text/html", "<!-- ${claim.a} -->", "claim.a"),
        ("type", "text/css", "a { content: '${user}' }", "user"),
    ]

    private static let answerCases: [InvalidCase] = [
        InvalidCase(
            "error-none", answer(#""body": "x""#),
            #"routes.json:2: error: /routes/0/errors/0: the answer is for no error (expected "status" or "reason")"#),
        InvalidCase(
            "error-content", answer(#""status": 403"#),
            #"routes.json:2: error: /routes/0/errors/0: the answer has no content (expected "body", "file" or "redirect")"#
        ),
        InvalidCase(
            "error-contents", answer(#""status": 403, "body": "x", "redirect": "/x""#),
            #"routes.json:2: error: /routes/0/errors/0/redirect: an answer has one content (expected one of "body", "file" and "redirect")"#
        ),
        InvalidCase(
            "error-status", answer(#""status": "3xx", "body": "x""#),
            #"routes.json:2: error: /routes/0/errors/0/status: invalid value (expected a status from 400 to 599, "4xx" or "5xx", found "3xx")"#
        ),
        InvalidCase(
            "error-success", answer(#""status": 403, "body": "x", "answerStatus": 302"#),
            #"routes.json:2: error: /routes/0/errors/0/answerStatus: invalid value (expected a status from 400 to 599, found 302)"#
        ),
        InvalidCase(
            "error-challenge", answer(#""status": 403, "body": "x", "answerStatus": 401"#),
            #"routes.json:2: error: /routes/0/errors/0/answerStatus: an answer with status 401 needs fields that only errors with this status have (expected another status)"#
        ),
        InvalidCase(
            "error-redirect-status", answer(#""status": 403, "redirect": "/x", "answerStatus": 301"#),
            #"routes.json:2: error: /routes/0/errors/0/answerStatus: out of range (expected a status from 300 to 599, found 301)"#
                .replacing(
                    "out of range (expected a status from 300 to 599", with: "invalid value (expected 302, 303 or 307")
        ),
        InvalidCase(
            "error-reason", answer(#""reason": "role_require", "body": "x""#),
            #"routes.json:2: error: /routes/0/errors/0/reason: invalid value (expected the code of a reason why a request of a route is refused or fails, found "role_require"; did you mean "role_required"?)"#
        ),
        InvalidCase(
            "error-reason-status", answer(#""status": "5xx", "reason": "role_required", "body": "x""#),
            #"routes.json:2: error: /routes/0/errors/0/reason: the reason "role_required" has the status 403 (expected a "status" that includes it, or none)"#
        ),
        InvalidCase(
            "error-file", answer(#""status": 403, "file": "errors/missing.html""#),
            #"routes.json:2: error: /routes/0/errors/0/file: the file "DIR/errors/missing.html" cannot be read: No such file or directory (expected a readable file)"#
        ),
        InvalidCase(
            "error-file-parent", answer(#""status": 403, "file": "errors/../../x""#),
            #"routes.json:2: error: /routes/0/errors/0/file: invalid value (expected the name of a file below the directory of the configuration, found "errors/../../x")"#
        ),
        InvalidCase(
            "error-file-absolute", answer(#""status": 403, "file": "/etc/passwd""#),
            #"routes.json:2: error: /routes/0/errors/0/file: invalid value (expected the name of a file below the directory of the configuration, found "/etc/passwd")"#
        ),
        InvalidCase(
            "error-file-long",
            files: answer(#""status": 403, "file": "long.txt""#).merging([
                "long.txt": String(repeating: "a", count: 65_537)
            ]) { $1 },
            [
                "routes.json:2: error: /routes/0/errors/0/file: the template is too long (expected at most 65536 bytes, found 65537)"
            ]),
        InvalidCase(
            "error-json", answer(#""status": 403, "contentType": "application/json", "body": "{\"u\": ${user}}""#),
            #"routes.json:2: error: /routes/0/errors/0/body: the body is not JSON (expected JSON, with placeholders in strings)"#
        ),
        InvalidCase(
            "error-charset", answer(#""status": 403, "contentType": "text/html; charset=utf-7", "body": "x""#),
            #"routes.json:2: error: /routes/0/errors/0/contentType: bodies are UTF-8 (expected "charset=utf-8", or no charset)"#
        ),
        InvalidCase(
            "error-placeholder", answer(#""status": 403, "body": "${secret.a}""#),
            #"routes.json:2: error: /routes/0/errors/0/body: unknown placeholder "${secret.a}" (expected ${status}, ${reason}, ${message}, ${path}, ${user}, ${issuer}, ${roles}, ${client_ip}, ${request_id}, ${claim.PATH}, ${env.NAME})"#
        ),
        InvalidCase(
            "error-path", answer(#""status": 403, "redirect": "/a/${user}""#),
            "routes.json:2: error: /routes/0/errors/0/redirect: \"${user}\" \(place)"),
        InvalidCase(
            "error-host", answer(#""status": 403, "redirect": "https://a.example${reason}""#),
            "routes.json:2: error: /routes/0/errors/0/redirect: \"${reason}\" \(place)"),
        InvalidCase(
            "error-field", answer(#""status": 401, "body": "x", "headers": { "www_authenticate": "None" }"#),
            #"routes.json:2: error: /routes/0/errors/0/headers/www_authenticate: the answer has the field "www_authenticate" by itself (expected another field)"#
        ),
    ]

    private static func challenge(_ text: String) -> [String: String] {
        [
            "webgates.json":
                "{ \"webgates\": [], \"authenticationSchemes\": [\n{ \"name\": \"a\", \"authenticationLevel\": 1, \"challenges\": [\(text)] } ] }"
        ]
    }

    private static let challengeCases: [InvalidCase] = [
        InvalidCase(
            "challenge-scheme", challenge(#"{ "scheme": "Api Key" }"#),
            #"webgates.json:2: error: /authenticationSchemes/0/challenges/0/scheme: invalid value (expected the name of a scheme: letters, digits and hyphens, found "Api Key")"#
        ),
        InvalidCase(
            "challenge-oam", challenge(#"{ "scheme": "oam-auth" }"#),
            "webgates.json:2: error: /authenticationSchemes/0/challenges/0/scheme: the gateway writes challenges of OAM-Auth itself (expected another scheme)"
        ),
        InvalidCase(
            "challenge-twice", challenge(#"{ "scheme": "A", "parameters": { "realm": "a", "Realm": "b" } }"#),
            #"webgates.json:2: error: /authenticationSchemes/0/challenges/0/parameters/Realm: "Realm" is named twice (expected each name once)"#
        ),
        InvalidCase(
            "challenge-realm", challenge(#"{ "scheme": "A", "parameters": { "realm": 1 } }"#),
            "webgates.json:2: error: /authenticationSchemes/0/challenges/0/parameters/realm: a realm is quoted (RFC 9110 section 11.5) (expected a text)"
        ),
        InvalidCase(
            "challenge-line", challenge(#"{ "scheme": "A", "parameters": { "a": "x\r\ny" } }"#),
            #"webgates.json:2: error: /authenticationSchemes/0/challenges/0/parameters/a: invalid value (expected visible ASCII text, a number, true or false, found "x\u000d\u000ay")"#
        ),
        InvalidCase(
            "challenge-placeholder", challenge(#"{ "scheme": "A", "parameters": { "a": "${path}" } }"#),
            #"webgates.json:2: error: /authenticationSchemes/0/challenges/0/parameters/a: unknown placeholder "${path}" (expected ${realm}, ${level}, ${scope}, ${error}, ${request_id})"#
        ),
    ]
}
