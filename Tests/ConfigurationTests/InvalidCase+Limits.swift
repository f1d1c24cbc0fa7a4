/// Mistakes in limits, and in what routes say of the transport.
extension InvalidCase {
    static let limitCases: [InvalidCase] = [
        InvalidCase(
            "limit-per-address", gateway: #""limits": {"maxConnectionsPerAddress": -1}"#,
            #"gateway.json:5: error: /limits/maxConnectionsPerAddress: out of range (expected a number of connections from 0 to 1000000, found -1)"#
        ),
        InvalidCase(
            "limit-floods", gateway: #""limits": {"maxFloodsPerAddress": -1}"#,
            #"gateway.json:5: error: /limits/maxFloodsPerAddress: out of range (expected a number of connections from 0 to 1000000, found -1)"#
        ),
        InvalidCase(
            "limit-buffers", gateway: #""limits": {"maxBufferBytes": "1MiB"}"#,
            #"gateway.json:5: error: /limits/maxBufferBytes: out of range (expected a size from 8388608 to 1099511627776 bytes, found "1MiB")"#
        ),
        InvalidCase(
            "limit-body-rate", gateway: #""limits": {"minBodyRate": "1KB"}"#,
            #"gateway.json:5: error: /limits/minBodyRate: invalid value (expected a size such as "64KiB" or "1MiB", or a number of bytes, found "1KB"; did you mean "1KiB"?)"#
        ),
        InvalidCase(
            "limit-words",
            gateway: #""limits": {"maxBodyBytes": "10 MB", "drainTimeout": "1h30m", "headerTimeout": "minute"}"#,
            #"gateway.json:5: error: /limits/drainTimeout: invalid value (expected a duration such as "30s", "250ms", "5m" or "1h", found "1h30m"; did you mean "90m"?)"#,
            #"gateway.json:5: error: /limits/headerTimeout: invalid value (expected a duration such as "30s", "250ms", "5m" or "1h", found "minute"; did you mean "1m"?)"#,
            #"gateway.json:5: error: /limits/maxBodyBytes: invalid value (expected a size such as "64KiB" or "1MiB", or a number of bytes, found "10 MB"; did you mean "10MiB"?)"#
        ),
        InvalidCase(
            "limit-no-words", gateway: #""limits": {"drainTimeout": "soon", "headerTimeout": "-1s"}"#,
            #"gateway.json:5: error: /limits/drainTimeout: invalid value (expected a duration such as "30s", "250ms", "5m" or "1h", found "soon")"#,
            #"gateway.json:5: error: /limits/headerTimeout: invalid value (expected a duration such as "30s", "250ms", "5m" or "1h", found "-1s")"#
        ),
        InvalidCase(
            "limit-handshakes", gateway: #""limits": {"maxHandshakesPerSecond": "100"}"#,
            #"gateway.json:5: error: /limits/maxHandshakesPerSecond: wrong type (expected a number of handshakes from 0 to 1000000, found "100")"#
        ),
        InvalidCase(
            "limit-passwords", gateway: #""limits": {"passwordChecksPerAdress": 5}"#,
            #"gateway.json:5: error: /limits/passwordChecksPerAdress: unknown member "passwordChecksPerAdress" (did you mean "passwordChecksPerAddress"?)"#
        ),
        InvalidCase(
            "limit-tunnel", gateway: #""limits": {"tunnelIdleTimeout": "0s"}"#,
            #"gateway.json:5: error: /limits/tunnelIdleTimeout: out of range (expected a duration from "1ms" to "8784h", found "0s")"#
        ),
        InvalidCase(
            "limit-streams", gateway: #""limits": {"http2": {"maxStreams": 0}}"#,
            #"gateway.json:5: error: /limits/http2/maxStreams: out of range (expected a number of streams from 1 to 10000, found 0)"#
        ),
        InvalidCase(
            "limit-windows", gateway: #""limits": {"http2": {"windowBytes": "2MiB"}}"#,
            #"gateway.json:5: error: /limits/http2: windowBytes is more than connectionWindowBytes (expected at most 1048576 bytes, found 2097152)"#
        ),
        InvalidCase(
            "rate-zero", gateway: #""rateLimits": {"api": {"requests": 0}}"#,
            #"gateway.json:5: error: /rateLimits/api/requests: out of range (expected a number of requests from 1 to 1000000000, found 0)"#
        ),
        InvalidCase(
            "rate-missing", gateway: #""rateLimits": {"api": {"per": "1s"}}"#,
            #"gateway.json:5: error: /rateLimits/api/requests: required member "requests" is missing (expected a number of requests)"#
        ),
        InvalidCase(
            "rate-burst", gateway: #""rateLimits": {"api": {"requests": 5, "burst": 0}}"#,
            #"gateway.json:5: error: /rateLimits/api/burst: out of range (expected a number of requests from 1 to 1000000000, found 0)"#
        ),
        InvalidCase(
            "rate-key", gateway: #""rateLimits": {"api": {"requests": 5, "key": "user"}}"#,
            #"gateway.json:5: error: /rateLimits/api/key: invalid value (expected one of "route", "principal", "address", found "user")"#
        ),
        InvalidCase(
            "rate-name", gateway: #""rateLimits": {"a b": {"requests": 5}}"#,
            #"gateway.json:5: error: /rateLimits/a b: invalid name of a rate limit (expected 1 to 64 letters, digits, dots, underscores and hyphens)"#
        ),
        InvalidCase(
            "rate-unknown",
            [
                "gateway.json": ConfigurationDirectory.gateway(#""rateLimits": {"api": {"requests": 5}}"#),
                "routes.json": #"[{ "path": "/a", "upstream": "inventory", "rateLimit": "apj" }]"#,
            ],
            #"routes.json:1: error: /routes/0/rateLimit: unknown rate limit "apj" (expected the name of a rate limit; did you mean "api"?)"#
        ),
        InvalidCase(
            "rate-unknown-in-list",
            [
                "gateway.json": ConfigurationDirectory.gateway(#""rateLimits": {"api": {"requests": 5}}"#),
                "routes.json":
                    #"[{ "path": "/a", "upstream": "inventory", "rateLimit": ["api", { "requests": 1 }, "web"] }]"#,
            ],
            #"routes.json:1: error: /routes/0/rateLimit/2: unknown rate limit "web" (expected the name of a rate limit)"#
        ),
        InvalidCase(
            "rate-twice",
            [
                "gateway.json": ConfigurationDirectory.gateway(#""rateLimits": {"api": {"requests": 5}}"#),
                "routes.json": #"[{ "path": "/a", "upstream": "inventory", "rateLimit": ["api", "api"] }]"#,
            ],
            #"routes.json:1: error: /routes/0/rateLimit/1: "api" is listed twice"#
        ),
        InvalidCase(
            "rate-list-empty",
            [
                "gateway.json": ConfigurationDirectory.gateway(#""rateLimits": {"api": {"requests": 5}}"#),
                "routes.json": #"[{ "path": "/a", "upstream": "inventory", "rateLimit": [] }]"#,
            ],
            #"routes.json:1: error: /routes/0/rateLimit: the list is empty (expected at least one limit, or no "rateLimit")"#
        ),
        InvalidCase(
            "rate-type",
            [
                "gateway.json": ConfigurationDirectory.gateway(#""rateLimits": {"api": {"requests": 5}}"#),
                "routes.json": #"[{ "path": "/a", "upstream": "inventory", "rateLimit": 5 }]"#,
            ],
            #"routes.json:1: error: /routes/0/rateLimit: wrong type (expected the name of a rate limit, or {"requests", "per", "burst", "key"}, found 5)"#
        ),
        InvalidCase(
            "upgrade-token",
            [
                "gateway.json": ConfigurationDirectory.gateway(#""rateLimits": {"api": {"requests": 5}}"#),
                "routes.json": #"[{ "path": "/a", "upstream": "inventory", "upgrades": ["web socket"] }]"#,
            ],
            #"routes.json:1: error: /routes/0/upgrades/0: invalid value (expected the name of a protocol, such as "websocket", found "web socket"; did you mean "websocket"?)"#
        ),
        InvalidCase(
            "upgrade-h2c",
            [
                "gateway.json": ConfigurationDirectory.gateway(#""rateLimits": {"api": {"requests": 5}}"#),
                "routes.json": #"[{ "path": "/a", "upstream": "inventory", "upgrades": ["h2c"] }]"#,
            ],
            #"routes.json:1: error: /routes/0/upgrades/0: "h2c" would carry requests that the gateway does not see (expected another protocol)"#
        ),
        InvalidCase(
            "upgrade-tls",
            [
                "gateway.json": ConfigurationDirectory.gateway(#""rateLimits": {"api": {"requests": 5}}"#),
                "routes.json": #"[{ "path": "/a", "upstream": "inventory", "upgrades": ["TLS/1.0"] }]"#,
            ],
            #"routes.json:1: error: /routes/0/upgrades/0: "TLS/1.0" would carry requests that the gateway does not see (expected another protocol)"#
        ),
        InvalidCase(
            "upgrade-type",
            [
                "gateway.json": ConfigurationDirectory.gateway(#""rateLimits": {"api": {"requests": 5}}"#),
                "routes.json": #"[{ "path": "/a", "upstream": "inventory", "upgrades": "websocket" }]"#,
            ],
            #"routes.json:1: error: /routes/0/upgrades: wrong type (expected an array of protocols, found "websocket")"#
        ),
        InvalidCase(
            "injection-gateway-user",
            [
                "gateway.json": ConfigurationDirectory.gateway(#""rateLimits": {"api": {"requests": 5}}"#),
                "routes.json":
                    #"[{ "path": "/a", "upstream": "inventory", "injection": {"issuer": "local", "header": "x_gateway_user"} }]"#,
            ],
            #"routes.json:1: error: /routes/0/injection/header: the field "x_gateway_user" belongs to the gateway (expected a header field that may carry a token)"#
        ),
        InvalidCase(
            "injection-forwarded-for",
            [
                "gateway.json": ConfigurationDirectory.gateway(#""rateLimits": {"api": {"requests": 5}}"#),
                "routes.json":
                    #"[{ "path": "/a", "upstream": "inventory", "injection": {"issuer": "local", "header": "X-Forwarded-Custom"} }]"#,
            ],
            #"routes.json:1: error: /routes/0/injection/header: the field "X-Forwarded-Custom" belongs to the gateway (expected a header field that may carry a token)"#
        ),
        InvalidCase(
            "injection-forwarded",
            [
                "gateway.json": ConfigurationDirectory.gateway(#""rateLimits": {"api": {"requests": 5}}"#),
                "routes.json":
                    #"[{ "path": "/a", "upstream": "inventory", "injection": {"issuer": "local", "header": "Forwarded"} }]"#,
            ],
            #"routes.json:1: error: /routes/0/injection/header: the field "Forwarded" belongs to the gateway (expected a header field that may carry a token)"#
        ),
        InvalidCase(
            "injection-via",
            [
                "gateway.json": ConfigurationDirectory.gateway(#""rateLimits": {"api": {"requests": 5}}"#),
                "routes.json":
                    #"[{ "path": "/a", "upstream": "inventory", "injection": {"issuer": "local", "header": "Via"} }]"#,
            ],
            #"routes.json:1: error: /routes/0/injection/header: the field "Via" belongs to the gateway (expected a header field that may carry a token)"#
        ),
        InvalidCase(
            "injection-request-id",
            [
                "gateway.json": ConfigurationDirectory.gateway(#""rateLimits": {"api": {"requests": 5}}"#),
                "routes.json":
                    #"[{ "path": "/a", "upstream": "inventory", "injection": {"issuer": "local", "header": "X.Request.Id"} }]"#,
            ],
            #"routes.json:1: error: /routes/0/injection/header: the field "X.Request.Id" belongs to the gateway (expected a header field that may carry a token)"#
        ),
        InvalidCase(
            "injection-te",
            [
                "gateway.json": ConfigurationDirectory.gateway(#""rateLimits": {"api": {"requests": 5}}"#),
                "routes.json":
                    #"[{ "path": "/a", "upstream": "inventory", "injection": {"issuer": "local", "header": "TE"} }]"#,
            ],
            #"routes.json:1: error: /routes/0/injection/header: the field "TE" belongs to the gateway (expected a header field that may carry a token)"#
        ),
        InvalidCase(
            "injection-trailer",
            [
                "gateway.json": ConfigurationDirectory.gateway(#""rateLimits": {"api": {"requests": 5}}"#),
                "routes.json":
                    #"[{ "path": "/a", "upstream": "inventory", "injection": {"issuer": "local", "header": "Trailer"} }]"#,
            ],
            #"routes.json:1: error: /routes/0/injection/header: the field "Trailer" belongs to the gateway (expected a header field that may carry a token)"#
        ),
    ]
}
