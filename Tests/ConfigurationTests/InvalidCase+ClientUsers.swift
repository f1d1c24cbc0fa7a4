extension InvalidCase {
    private static func clientUsers(_ id: String, _ rules: String, _ errors: String...) -> InvalidCase {
        let gateway =
            "{\n\"baseUrl\": \"http://a.example\",\n\"listeners\": [\n"
            + "{ \"address\": \"::1\", \"port\": 443, \"tls\": {"
            + "\"certificates\": [{ \"certFile\": \"cert.pem\", \"keyFile\": \"key.pem\" }],\n"
            + "\"clientAuth\": \"optional\", \"clientCaFile\": \"cert.pem\", \"clientUsers\": [\n\(rules)] }}]}"
        return InvalidCase(id, files: ["gateway.json": gateway].merging(pemFiles) { $1 }, errors)
    }

    private static func told(_ id: String, _ field: String, trusts: Bool = true, _ errors: String...) -> InvalidCase {
        let gateway =
            "{\n\"baseUrl\": \"http://a.example\",\(trusts ? "\"trustedProxies\": [\"::1\"]," : "") \"listeners\": [\n"
            + "{ \"address\": \"::1\", \"port\": 443, \"clientCertificateField\": \(field) }]}"
        return InvalidCase(id, files: ["gateway.json": gateway].merging(pemFiles) { $1 }, errors)
    }

    private static let toldPlace = "gateway.json:3: error: /listeners/0/clientCertificateField"
    private static let place = "gateway.json:6: error: /listeners/0/tls/clientUsers/0"

    /// Mistakes in users by certificate.
    static let clientUserCases: [InvalidCase] = [
        told(
            "client-certificate-field-authority", #""xfcc""#,
            "\(toldPlace): no authority verifies the certificates (expected \"caFile\" here, or \"clientCaFile\" in \"tls\")"
        ),
        told(
            "client-certificate-field-peers", #"{"format": "xfcc", "caFile": "cert.pem"}"#, trusts: false,
            "\(toldPlace): no proxy may tell certificates of its clients (expected \"trustedProxies\" with the addresses of the proxies)"
        ),
        told(
            "client-certificate-field-hops", #"{"format": "client-cert", "caFile": "cert.pem", "hops": 2}"#,
            "\(toldPlace)/hops: this form has one element (expected \"hops\" with \"format\": \"xfcc\" only)"),
        clientUsers(
            "client-users-empty", "{}",
            "\(place): the rule has no condition (expected \"subject\", \"commonName\", \"dns\", \"email\" or \"uri\")",
            "\(place): the rule names no user (expected \"user\" or \"username\")"),
        clientUsers(
            "client-users-two", #"{"dns": "a", "commonName": "a", "user": "a", "username": "dns", "roles": []}"#,
            "\(place)/dns: the rule has more than one condition (expected one of \"subject\", \"commonName\", \"dns\", \"email\" and \"uri\")",
            "\(place)/username: \"username\" and \"user\" exclude each other (expected one of the two)"),
        clientUsers(
            "client-users-wildcard", #"{"subject": "CN=device *,O=Example", "user": "a", "roles": []}"#,
            "\(place)/subject: invalid value (expected a subject as of RFC 4514, such as \"CN=billing,O=Example\", without wildcards, found \"CN=device *,O=Example\")"
        ),
        clientUsers(
            "client-users-subject", #"{"subject": "billing", "user": "a", "roles": []}"#,
            "\(place)/subject: invalid value (expected a subject as of RFC 4514, such as \"CN=billing,O=Example\", without wildcards, found \"billing\")"
        ),
        clientUsers(
            "client-users-realm", #"{"dns": "a", "user": "a", "roles": ["Clerk"], "realm": "Default"}"#,
            "\(place)/realm: users with \"roles\" have no account (expected no \"realm\" beside \"roles\")"),
        clientUsers(
            "client-users-unknown", #"{"dns": "a", "user": "joe"}"#,
            "\(place)/user: unknown user \"joe\" (expected a user of \"users.json\", or \"roles\" for a user without an account)"
        ),
        clientUsers(
            "client-users-role", #"{"dns": "a", "user": "joe", "roles": ["Clark"]}"#,
            "\(place)/roles/0: unknown role \"Clark\" (expected a role of the catalogue, written with the same case; `portcullis roles add` adds one; did you mean \"Clerk\"?)"
        ),
        clientUsers(
            "client-users-username", #"{"dns": "a", "username": "ip", "roles": []}"#,
            "\(place)/username: invalid value (expected one of \"subject\", \"commonName\", \"dns\", \"email\", \"uri\", found \"ip\")"
        ),
        tls(
            "client-crl-off", #""clientCrlFile": "cert.pem""#,
            "gateway.json:5: error: /listeners/0/tls/clientCrlFile: clients are not asked for certificates (expected \"clientAuth\": \"optional\" or \"required\")"
        ),
        tls(
            "client-crl-missing",
            #""clientAuth": "optional", "clientCaFile": "cert.pem", "clientCrlFile": "none.crl""#,
            "gateway.json:5: error: /listeners/0/tls/clientCrlFile: the file \"DIR/none.crl\" cannot be read: No such file or directory (expected a readable file)"
        ),
        tls(
            "client-users-off", #""clientUsers": []"#,
            "gateway.json:5: error: /listeners/0/tls/clientUsers: clients are not asked for certificates (expected \"clientAuth\": \"optional\" or \"required\")"
        ),
        InvalidCase(
            "certificate-login-public", routes(route("/a", #""public": true, "certificateLogin": true"#)),
            "routes.json:2: error: /routes/0/certificateLogin: a public route has no caller (expected no \"certificateLogin\" here)"
        ),
        InvalidCase(
            "certificate-login-backend",
            routes(route("/a", #""backends": ["inventory/1.0"], "certificateLogin": true"#)),
            "routes.json:2: error: /routes/0/certificateLogin: a certificate belongs to no client (expected no \"certificateLogin\" here)"
        ),
        InvalidCase(
            "certificate-login-social", routes(route("/a", #""socialLogin": true, "certificateLogin": true"#)),
            "routes.json:2: error: /routes/0/certificateLogin: a certificate is no social login (expected no \"certificateLogin\" here)"
        ),
    ]
}
