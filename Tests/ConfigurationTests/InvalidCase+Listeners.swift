/// Mistakes in listeners.
extension InvalidCase {
    /// A configuration whose one listener stands in line 4; `cert.pem`, `key.pem` and `sealed.pem` are there.
    private static func listener(_ id: String, _ members: String, _ errors: String...) -> InvalidCase {
        let gateway = "{\n\"baseUrl\": \"http://a.example\",\n\"listeners\": [\n{ \(members) }]}"
        return InvalidCase(id, files: ["gateway.json": gateway].merging(pemFiles) { $1 }, errors)
    }

    /// A second listener, in line 5, for decisions of other proxies.
    private static func forwardAuth(_ id: String, _ settings: String, _ errors: String...) -> InvalidCase {
        let gateway = """
            {
            "baseUrl": "http://a.example",
            "listeners": [
            { "address": "::1", "port": 80 },
            { "address": "::1", "port": 81, "forwardAuth": \(settings) }]}
            """
        return InvalidCase(id, files: ["gateway.json": gateway], errors)
    }

    static func tls(_ id: String, _ members: String, _ errors: String...) -> InvalidCase {
        let certificates = #""certificates": [{ "certFile": "cert.pem", "keyFile": "key.pem" }]"#
        let gateway =
            "{\n\"baseUrl\": \"http://a.example\",\n\"listeners\": [\n{ \"address\": \"::1\", \"port\": 443,\n"
            + "\"tls\": { \(certificates), \(members) }}]}"
        return InvalidCase(id, files: ["gateway.json": gateway].merging(pemFiles) { $1 }, errors)
    }

    static let pemFiles = [
        "cert.pem": "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n",
        "key.pem": "-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n",
        "sealed.pem": "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAA==\n-----END ENCRYPTED PRIVATE KEY-----\n",
    ]

    static let listenerCases: [InvalidCase] = [
        forwardAuth(
            "forward-auth-empty", #"{ "trustedProxies": ["::1"] }"#,
            #"gateway.json:5: error: /listeners/1/forwardAuth: the endpoint has no path (expected "path" or "pathPrefix")"#
        ),
        forwardAuth(
            "forward-auth-path", #"{ "path": "/_auth/", "pathPrefix": "envoy", "trustedProxies": ["::1"] }"#,
            #"gateway.json:5: error: /listeners/1/forwardAuth/path: invalid value (expected a path such as "/_auth", without "/" at the end, found "/_auth/")"#,
            #"gateway.json:5: error: /listeners/1/forwardAuth/pathPrefix: invalid value (expected a path such as "/_auth", without "/" at the end, found "envoy")"#
        ),
        forwardAuth(
            "forward-auth-inside", #"{ "path": "/_a/b", "pathPrefix": "/_a", "trustedProxies": ["::1"] }"#,
            #"gateway.json:5: error: /listeners/1/forwardAuth/path: the path begins with "pathPrefix" (expected a path outside it)"#
        ),
        forwardAuth(
            "forward-auth-peers", #"{ "path": "/_auth", "trustedProxies": ["0.0.0.0/0"] }"#,
            #"gateway.json:5: error: /listeners/1/forwardAuth: no proxy may ask for decisions (expected "trustedProxies" with the addresses of the proxies that ask)"#,
            #"gateway.json:5: error: /listeners/1/forwardAuth/trustedProxies/0: a block of all addresses would trust every client (expected a CIDR block such as "10.0.0.0/8", found "0.0.0.0/0")"#
        ),
        forwardAuth(
            "forward-auth-without-peers", #"{ "path": "/_auth" }"#,
            #"gateway.json:5: error: /listeners/1/forwardAuth: no proxy may ask for decisions (expected "trustedProxies" with the addresses of the proxies that ask)"#
        ),
        forwardAuth(
            "forward-auth-metrics", #"{ "path": "/_auth", "trustedProxies": ["::1"] }, "role": "metrics""#,
            #"gateway.json:5: error: /listeners/1/forwardAuth: the listener has another purpose (expected a listener without "role" and "redirectToHttps")"#
        ),
        listener(
            "forward-auth-unix",
            #""address": "unix:gw.sock", "forwardAuth": { "path": "/_auth", "trustedProxies": ["::1"] }"#,
            #"gateway.json:4: error: /listeners/0/forwardAuth: peers of a unix socket have no address (expected a listener with an IP address)"#
        ),
        listener(
            "forward-auth-alone",
            #""address": "::1", "port": 80, "forwardAuth": { "path": "/_auth", "trustedProxies": ["::1"] }"#,
            #"gateway.json:3: error: /listeners: no listener takes requests for routes (expected at least one listener without "role", "redirectToHttps" and "forwardAuth")"#
        ),
        listener(
            "unix-port", #""address": "unix:gw.sock", "port": 80"#,
            #"gateway.json:4: error: /listeners/0/port: a unix socket has no port (expected no "port" beside "unix:PATH")"#
        ),
        listener(
            "unix-empty", #""address": "unix:""#,
            #"gateway.json:4: error: /listeners/0/address: invalid value (expected "unix:PATH", found "unix:")"#
        ),
        listener(
            "unix-long", "\"address\": \"unix:/\(String(repeating: "a", count: 107))\"",
            "gateway.json:4: error: /listeners/0/address: the path is too long for a socket (expected at most 107 bytes, found 108)"
        ),
        listener(
            "unix-mode", #""address": "unix:gw.sock", "mode": "0888""#,
            #"gateway.json:4: error: /listeners/0/mode: invalid value (expected permission bits as octal text, such as "0660", found "0888")"#
        ),
        listener(
            "role-admin", #""address": "::1", "port": 80, "role": "admin""#,
            #"gateway.json:4: error: /listeners/0/role: invalid value (expected "proxy" or "metrics", found "admin")"#
        ),
        listener(
            "role-metrics-alone", #""address": "::1", "port": 80, "role": "metrics""#,
            #"gateway.json:3: error: /listeners: no listener takes requests for routes (expected at least one listener without "role", "redirectToHttps" and "forwardAuth")"#
        ),
        listener(
            "redirect-alone", #""address": "::1", "port": 80, "redirectToHttps": true"#,
            #"gateway.json:3: error: /listeners: no listener takes requests for routes (expected at least one listener without "role", "redirectToHttps" and "forwardAuth")"#
        ),
        listener(
            "redirect-listener-status", #""address": "::1", "port": 80, "redirectToHttps": { "status": 302 }"#,
            #"gateway.json:3: error: /listeners: no listener takes requests for routes (expected at least one listener without "role", "redirectToHttps" and "forwardAuth")"#,
            #"gateway.json:4: error: /listeners/0/redirectToHttps/status: invalid value (expected 301 or 308, found 302)"#
        ),
        listener(
            "redirect-type", #""address": "::1", "port": 80, "redirectToHttps": "yes""#,
            #"gateway.json:3: error: /listeners: no listener takes requests for routes (expected at least one listener without "role", "redirectToHttps" and "forwardAuth")"#,
            #"gateway.json:4: error: /listeners/0/redirectToHttps: wrong type (expected true, or an object: {"port", "status"}, found "yes")"#
        ),
        listener(
            "redirect-metrics", #""address": "::1", "port": 80, "role": "metrics", "redirectToHttps": true"#,
            #"gateway.json:3: error: /listeners: no listener takes requests for routes (expected at least one listener without "role", "redirectToHttps" and "forwardAuth")"#,
            #"gateway.json:4: error: /listeners/0/redirectToHttps: a listener for metrics redirects nothing (expected no "redirectToHttps" beside "role")"#
        ),
        tls(
            "redirect-tls", #""minVersion": "1.2" }, "redirectToHttps": { "port": 443"#,
            #"gateway.json:5: error: /listeners/0/redirectToHttps: clients of this listener use https already (expected no "redirectToHttps" beside "tls")"#
        ),
        listener(
            "unix-mode-number", #""address": "unix:gw.sock", "mode": 660"#,
            #"gateway.json:4: error: /listeners/0/mode: wrong type (expected permission bits as octal text, such as "0660", found 660)"#
        ),
        listener(
            "mode-of-port", #""address": "::1", "port": 80, "mode": "0660""#,
            #"gateway.json:4: error: /listeners/0/mode: only a unix socket has a mode (expected "address": "unix:PATH", or no "mode")"#
        ),
        listener(
            "unix-proxy-protocol", #""address": "unix:gw.sock", "proxyProtocol": ["10.0.0.0/8"]"#,
            #"gateway.json:4: error: /listeners/0/proxyProtocol: peers of a unix socket have no address (expected no "proxyProtocol" here)"#
        ),
        listener(
            "socket-and-address", #""socket": "web", "address": "::1""#,
            #"gateway.json:4: error: /listeners/0/address: an inherited socket is bound already (expected no "address" beside "socket")"#
        ),
        listener(
            "socket-name", #""socket": "a:b""#,
            #"gateway.json:4: error: /listeners/0/socket: invalid value (expected the name of an inherited socket: at most 255 visible ASCII characters without a colon, found "a:b")"#
        ),
        listener(
            "address-star", #""address": "*", "port": 80"#,
            #"gateway.json:4: error: /listeners/0/address: invalid value (expected an IP address such as "127.0.0.1" or "::1", found "*"; did you mean "0.0.0.0"?)"#
        ),
        listener(
            "proxy-protocol-everybody", #""address": "::1", "port": 80, "proxyProtocol": ["0.0.0.0/0"]"#,
            #"gateway.json:4: error: /listeners/0/proxyProtocol/0: a block of all addresses would trust every client (expected a CIDR block such as "10.0.0.0/8", found "0.0.0.0/0")"#
        ),
        listener(
            "proxy-protocol-flag", #""address": "::1", "port": 80, "proxyProtocol": true"#,
            "gateway.json:4: error: /listeners/0/proxyProtocol: wrong type (expected an array of CIDR blocks, found true)"
        ),
        listener(
            "tls-no-certificates", #""address": "::1", "port": 80, "tls": {}"#,
            #"gateway.json:4: error: /listeners/0/tls/certificates: required member "certificates" is missing (expected an array of {"certFile", "keyFile"})"#
        ),
        listener(
            "tls-certificates-empty", #""address": "::1", "port": 80, "tls": { "certificates": [] }"#,
            "gateway.json:4: error: /listeners/0/tls/certificates: no certificate (expected at least one certificate)"
        ),
        listener(
            "tls-unknown-member",
            #""address": "::1", "port": 80, "tls": { "certificates": [{ "certfile": "cert.pem", "keyFile": "key.pem" }] }"#,
            #"gateway.json:4: error: /listeners/0/tls/certificates/0/certFile: required member "certFile" is missing (expected a PEM file, or "names" for a certificate of "acme")"#,
            #"gateway.json:4: error: /listeners/0/tls/certificates/0/certfile: unknown member "certfile" (did you mean "certFile"?)"#
        ),
        listener(
            "tls-key-missing",
            #""address": "::1", "port": 80, "tls": { "certificates": [{ "certFile": "cert.pem", "keyFile": "kay.pem" }] }"#,
            #"gateway.json:4: error: /listeners/0/tls/certificates/0/keyFile: the file "kay.pem" does not exist (expected a PEM file with a private key)"#
        ),
        listener(
            "tls-files-swapped",
            #""address": "::1", "port": 80, "tls": { "certificates": [{ "certFile": "key.pem", "keyFile": "cert.pem" }] }"#,
            #"gateway.json:4: error: /listeners/0/tls/certificates/0/certFile: the file holds no certificate (expected a PEM file with certificates, found "key.pem")"#,
            #"gateway.json:4: error: /listeners/0/tls/certificates/0/keyFile: the file holds no private key (expected a PEM file with a private key, found "cert.pem")"#
        ),
        listener(
            "tls-key-encrypted",
            #""address": "::1", "port": 80, "tls": { "certificates": [{ "certFile": "cert.pem", "keyFile": "sealed.pem" }] }"#,
            "gateway.json:4: error: /listeners/0/tls/certificates/0/keyFile: the key is encrypted; passphrases are not supported (expected a key without one)"
        ),
        listener(
            "tls-directory",
            #""address": "::1", "port": 80, "tls": { "certificates": [{ "certFile": "/", "keyFile": "key.pem" }] }"#,
            #"gateway.json:4: error: /listeners/0/tls/certificates/0/certFile: the file "/" cannot be read: Is a directory (expected a readable file)"#
        ),
        tls(
            "tls-version-number", #""minVersion": 1.2"#,
            #"gateway.json:5: error: /listeners/0/tls/minVersion: wrong type (expected "1.2" or "1.3", found 1.2)"#
        ),
        tls(
            "tls-old", #""minVersion": "1.1""#,
            #"gateway.json:5: error: /listeners/0/tls/minVersion: TLS 1.1 is not safe any more (RFC 8996) (expected "1.2" or "1.3", found "1.1")"#
        ),
        tls(
            "tls-ciphers-13", #""minVersion": "1.3", "ciphers": "ECDHE+AESGCM""#,
            #"gateway.json:5: error: /listeners/0/tls/ciphers: "ciphers" is for TLS 1.2, which is off (expected "cipherSuites", or "minVersion": "1.2")"#
        ),
        tls(
            "tls-ciphers-blank", #""ciphers": "ECDHE AESGCM""#,
            #"gateway.json:5: error: /listeners/0/tls/ciphers: invalid value (expected a cipher list in OpenSSL's notation, found "ECDHE AESGCM")"#
        ),
        tls(
            "tls-client-ca-missing", #""clientAuth": "required""#,
            #"gateway.json:5: error: /listeners/0/tls/clientAuth: "clientAuth" needs "clientCaFile" (expected a file with the certificates of who issues the clients')"#
        ),
        tls(
            "tls-client-ca-unused", #""clientCaFile": "cert.pem""#,
            #"gateway.json:5: error: /listeners/0/tls/clientCaFile: clients are not asked for certificates (expected "clientAuth": "optional" or "required")"#
        ),
        tls(
            "tls-client-auth", #""clientAuth": "require""#,
            #"gateway.json:5: error: /listeners/0/tls/clientAuth: invalid value (expected one of "off", "optional", "required", found "require"; did you mean "required"?)"#
        ),
        tls(
            "tls-ticket-rotation", #""ticketRotation": 0"#,
            #"gateway.json:5: error: /listeners/0/tls/ticketRotation: wrong type (expected a duration such as "30s", "250ms", "5m" or "1h", found 0; did you mean "0s"?)"#
        ),
        InvalidCase(
            "unix-twice",
            [
                "gateway.json":
                    "{\"baseUrl\": \"http://a.example\", \"listeners\": [{\"address\": \"unix:a\"},\n{\"name\": \"b\", \"address\": \"unix:a\", \"mode\": \"0600\"}]}"
            ],
            "gateway.json:2: error: /listeners/1: another listener has this path (expected a free path)"
        ),
        InvalidCase(
            "proxies-mapped-bits", gateway: #""trustedProxies": ["::ffff:192.0.2.1/120"]"#,
            #"gateway.json:5: error: /trustedProxies/0: invalid value (expected a CIDR block such as "10.0.0.0/8", with no bit set after the prefix, found "::ffff:192.0.2.1/120"; did you mean "::ffff:c000:200/120"?)"#
        ),
        InvalidCase(
            "proxies-mapped", gateway: #""trustedProxies": ["::ffff:0:0/96"]"#,
            #"gateway.json:5: error: /trustedProxies/0: a block of all IPv4 addresses would trust every client (expected a CIDR block such as "10.0.0.0/8", found "::ffff:0:0/96")"#
        ),
    ]
}
