/// Mistakes in upstreams.
extension InvalidCase {
    private static func upstream(_ members: String) -> [String: String] {
        [
            "gateway.json": """
            {
              "baseUrl": "http://127.0.0.1:8080",
              "listeners": [{ "address": "127.0.0.1", "port": 8080 }],
              "upstreams": {
                "inventory": {
                  \(members)
                }
              }
            }
            """
        ].merging(pemFiles) { $1 }
    }

    static let upstreamCases: [InvalidCase] = [
        InvalidCase(
            "upstream-path", upstream(#""url": "http://127.0.0.1:9000/v1/""#),
            #"gateway.json:6: error: /upstreams/inventory/url: invalid value (expected a URL with a path such as "/v1", percent-encoded where needed, without "/" at the end, found "http://127.0.0.1:9000/v1/")"#
        ),
        InvalidCase(
            "upstream-dot-path", upstream(#""url": "http://127.0.0.1:9000/a/../b""#),
            #"gateway.json:6: error: /upstreams/inventory/url: invalid value (expected a URL with a path such as "/v1", percent-encoded where needed, without "/" at the end, found "http://127.0.0.1:9000/a/../b")"#
        ),
        InvalidCase(
            "upstream-query", upstream(#""url": "http://127.0.0.1:9000?a=b""#),
            #"gateway.json:6: error: /upstreams/inventory/url: invalid value (expected an origin such as "https://api.example.com", without path, query or trailing slash, found "http://127.0.0.1:9000?a=b")"#
        ),
        InvalidCase(
            "upstream-different-paths",
            upstream(#""servers": [{"url": "http://127.0.0.1:9000/v1"}, {"url": "http://127.0.0.1:9001/v2"}]"#),
            #"gateway.json:6: error: /upstreams/inventory/servers/1: the servers have different paths (expected one path for all servers)"#
        ),
        InvalidCase(
            "upstream-host-header", upstream(#""url": "http://127.0.0.1:9000", "hostHeader": "a b""#),
            #"gateway.json:6: error: /upstreams/inventory/hostHeader: invalid value (expected "client", "upstream", or a host such as "api.example.com" or "api.example.com:8443", found "a b")"#
        ),
        InvalidCase(
            "upstream-different-hosts",
            upstream(
                #""servers": [{"url": "http://127.0.0.1:9000"}, {"url": "http://127.0.0.1:9001"}], "hostHeader": "upstream""#
            ),
            #"gateway.json:6: error: /upstreams/inventory/hostHeader: the servers have different hosts (expected the name of one host)"#
        ),
        InvalidCase(
            "upstream-port", upstream(#""url": "http://127.0.0.1:+90""#),
            #"gateway.json:6: error: /upstreams/inventory/url: invalid value (expected an origin such as "https://api.example.com", with a port from 1 to 65535, found "http://127.0.0.1:+90")"#
        ),
        InvalidCase(
            "upstream-without-url", upstream(#""maxIdle": 1"#),
            #"gateway.json:5: error: /upstreams/inventory/url: required member "url" is missing (expected a URL such as "http://127.0.0.1:9000")"#
        ),
        InvalidCase(
            "upstream-member", upstream("\"url\": \"http://127.0.0.1:9000\",\n\"connectTimout\": \"5s\""),
            #"gateway.json:7: error: /upstreams/inventory/connectTimout: unknown member "connectTimout" (did you mean "connectTimeout"?)"#
        ),
        InvalidCase(
            "upstream-scheme", upstream(#""url": "tcp://127.0.0.1:9000""#),
            #"gateway.json:6: error: /upstreams/inventory/url: invalid value (expected an origin such as "https://api.example.com", with http or https, found "tcp://127.0.0.1:9000")"#
        ),
        InvalidCase(
            "upstream-mistyped-address", upstream(#""url": "http://10.0.0.256:9000""#),
            #"gateway.json:6: error: /upstreams/inventory/url: invalid value (expected a URL with a host name or an IP address, found "http://10.0.0.256:9000")"#
        ),
        InvalidCase(
            "upstream-url-and-servers",
            upstream(
                #""url": "http://127.0.0.1:9000", "servers": [{ "url": "http://127.0.0.1:9001" }]"#),
            #"gateway.json:6: error: /upstreams/inventory/servers: "servers" and "url" exclude each other (expected one of the two)"#
        ),
        InvalidCase(
            "servers-empty", upstream(#""servers": []"#),
            #"gateway.json:6: error: /upstreams/inventory/servers: no server (expected at least one server)"#
        ),
        InvalidCase(
            "servers-type", upstream(#""servers": "http://127.0.0.1:9000""#),
            #"gateway.json:6: error: /upstreams/inventory/servers: wrong type (expected an array of {"url"}, found "http://127.0.0.1:9000")"#
        ),
        InvalidCase(
            "servers-twice",
            upstream(
                #""servers": [{ "url": "http://a.example:80" }, { "url": "http://A.example", "weight": 2 }]"#),
            #"gateway.json:6: error: /upstreams/inventory/servers/1: the server is listed twice (expected each server once, with a "weight")"#
        ),
        InvalidCase(
            "servers-mixed", upstream(#""servers": [{ "url": "https://a.example" }, { "url": "http://b.example" }]"#),
            #"gateway.json:6: error: /upstreams/inventory/servers/1: some servers have TLS and others do not (expected one scheme for all servers)"#
        ),
        InvalidCase(
            "server-weight", upstream(#""servers": [{ "url": "http://a.example", "weight": 1001 }]"#),
            #"gateway.json:6: error: /upstreams/inventory/servers/0/weight: out of range (expected a weight from 0 to 1000, found 1001)"#
        ),
        InvalidCase(
            "server-member", upstream(#""servers": [{ "url": "http://a.example", "wieght": 1 }]"#),
            #"gateway.json:6: error: /upstreams/inventory/servers/0/wieght: unknown member "wieght" (did you mean "weight"?)"#
        ),
        InvalidCase(
            "balance", upstream(#""url": "http://127.0.0.1:9000", "balance": "least-request""#),
            #"gateway.json:6: error: /upstreams/inventory/balance: invalid value (expected one of "least-requests", "round-robin", "consistent-hash", found "least-request"; did you mean "least-requests"?)"#
        ),
        InvalidCase(
            "hash-key-alone", upstream(#""url": "http://127.0.0.1:9000", "hashKey": "address""#),
            #"gateway.json:6: error: /upstreams/inventory/hashKey: "hashKey" needs "balance": "consistent-hash" (expected "balance": "consistent-hash")"#
        ),
        InvalidCase(
            "hash-key",
            upstream(
                #""url": "http://127.0.0.1:9000", "balance": "consistent-hash", "hashKey": "header:X Y""#),
            #"gateway.json:6: error: /upstreams/inventory/hashKey: invalid value (expected "address", "principal", "path" or "header:NAME", found "header:X Y")"#
        ),
        InvalidCase(
            "health-path", upstream(#""url": "http://127.0.0.1:9000", "healthCheck": { "path": "health" }"#),
            #"gateway.json:6: error: /upstreams/inventory/healthCheck/path: invalid value (expected a path such as "/health", found "health"; did you mean "/health"?)"#
        ),
        InvalidCase(
            "health-path-missing", upstream(#""url": "http://127.0.0.1:9000", "healthCheck": {}"#),
            #"gateway.json:6: error: /upstreams/inventory/healthCheck/path: required member "path" is missing (expected a path such as "/health")"#
        ),
        InvalidCase(
            "health-timeout",
            upstream(
                #""url": "http://127.0.0.1:9000", "healthCheck": { "path": "/", "interval": "2s", "timeout": "2s" }"#),
            #"gateway.json:6: error: /upstreams/inventory/healthCheck: "timeout" is not less than "interval" (expected an answer before the next question, found 2.0 seconds and 2.0 seconds)"#
        ),
        InvalidCase(
            "health-status",
            upstream(
                #""url": "http://127.0.0.1:9000", "healthCheck": { "path": "/", "status": "399-200" }"#),
            #"gateway.json:6: error: /upstreams/inventory/healthCheck/status: invalid value (expected a status code from 200 to 599, or a range such as "200-399", found "399-200")"#
        ),
        InvalidCase(
            "health-status-number",
            upstream(
                #""url": "http://127.0.0.1:9000", "healthCheck": { "path": "/", "status": 600 }"#),
            #"gateway.json:6: error: /upstreams/inventory/healthCheck/status: out of range (expected a status code from 200 to 599, found 600)"#
        ),
        InvalidCase(
            "ejection-percent", upstream(#""url": "http://127.0.0.1:9000", "ejection": { "maxPercent": 101 }"#),
            #"gateway.json:6: error: /upstreams/inventory/ejection/maxPercent: out of range (expected a percentage from 0 to 100, found 101)"#
        ),
        InvalidCase(
            "breaker-never", upstream(#""url": "http://127.0.0.1:9000", "circuitBreaker": { "errorPercent": 0 }"#),
            #"gateway.json:6: error: /upstreams/inventory/circuitBreaker: the breaker never opens (expected "failures" or "errorPercent" above 0)"#
        ),
        InvalidCase(
            "queue-without-limit", upstream(#""url": "http://127.0.0.1:9000", "queue": { "length": 10 }"#),
            #"gateway.json:6: error: /upstreams/inventory/queue: without a limit nothing ever waits (expected "maxInFlight" or "maxConnections" beside "queue")"#
        ),
        InvalidCase(
            "retries", upstream(#""url": "http://127.0.0.1:9000", "retries": { "attempts": 6 }"#),
            #"gateway.json:6: error: /upstreams/inventory/retries/attempts: out of range (expected a number of retries from 0 to 5, found 6)"#
        ),
        InvalidCase(
            "slow-start", upstream(#""url": "http://127.0.0.1:9000", "slowStart": 10"#),
            #"gateway.json:6: error: /upstreams/inventory/slowStart: wrong type (expected a duration such as "30s", "250ms", "5m" or "1h", found 10; did you mean "10s"?)"#
        ),
        InvalidCase(
            "upstream-tls-plain", upstream(#""url": "http://127.0.0.1:9000", "tls": { "serverName": "a.example" }"#),
            #"gateway.json:6: error: /upstreams/inventory/tls: no server of this upstream has https (expected a URL with https, or no "tls")"#
        ),
        InvalidCase(
            "upstream-tls-key-alone", upstream(#""url": "https://a.example", "tls": { "keyFile": "key.pem" }"#),
            #"gateway.json:6: error: /upstreams/inventory/tls/keyFile: the key has no certificate (expected "certFile")"#
        ),
        InvalidCase(
            "upstream-tls-certificate-alone",
            upstream(
                #""url": "https://a.example", "tls": { "certFile": "cert.pem" }"#),
            #"gateway.json:6: error: /upstreams/inventory/tls/certFile: the certificate has no key (expected "keyFile")"#
        ),
        InvalidCase(
            "upstream-tls-ca-unused",
            upstream(
                #""url": "https://a.example", "tls": { "verify": false, "caFile": "cert.pem" }"#),
            #"gateway.json:6: error: /upstreams/inventory/tls/caFile: certificates are not verified (expected "verify": true, or no "caFile")"#
        ),
        InvalidCase(
            "upstream-tls-name", upstream(#""url": "https://a.example", "tls": { "serverName": "a.example:443" }"#),
            #"gateway.json:6: error: /upstreams/inventory/tls/serverName: invalid value (expected a host name or an IP address, found "a.example:443")"#
        ),
        InvalidCase(
            "upstream-tls-ca-missing", upstream(#""url": "https://a.example", "tls": { "caFile": "ca.pem" }"#),
            #"gateway.json:6: error: /upstreams/inventory/tls/caFile: the file "ca.pem" does not exist (expected a PEM file with certificates)"#
        ),
    ]
}
