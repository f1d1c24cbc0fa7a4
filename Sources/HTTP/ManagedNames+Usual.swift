import Model

extension ManagedNames {
    /// Names of fields by which proxies assert something to upstreams, with the titles of their kinds. `Name-*` matches a
    /// prefix; names of a family that are also used without separators are listed in addition. The configurations of other
    /// proxies in the guides remove or set each of them.
    package static let groups: [(title: String, names: [String])] = [
        ("The gateway's own", own), ("The client's address, scheme and host", forwarding),
        ("Overrides of method, path and environment", overrides), ("Identities", identities),
        ("Client certificates", certificates),
    ]

    static let usual: [String] = groups.flatMap(\.names)

    /// The page of the reference.
    package static var reference: String {
        let chapters = groups.map { group in
            "## \(group.title)\n\n" + group.names.map { "- `\($0)`\n" }.joined()
        }
        return """
            # Managed fields

            The gateway removes these fields from each client request, in
            [every spelling](guides/upstreams.md#fields-that-are-removed), since upstreams would trust them as written by a
            proxy. `Name-*` stands for all names with that prefix. [`managedHeaders`](reference/gateway.md#managedheaders) adds names.

            \(chapters.joined(separator: "\n"))
            """
    }

    /// The gateway's own.
    package static let own = [
        "X-Gateway-*", "X-Gateway-User", "X-Gateway-Issuer", "X-Gateway-Roles", "X-Gateway-Backend",
        "X-Gateway-Consumer", "X-Gateway-Client", "X-Gateway-Client-Subject",
        "X-Gateway-Client-Names", "X-Gateway-Client-Fingerprint",
    ]

    /// The client's address, scheme and host, as asserted by earlier hops. They are never forwarded unchanged (other
    /// gateways' CVE-2026-35051 and more); trusted values are written anew.
    private static let forwarding = [
        "Forwarded", "X-Forwarded", "X-Forwarded-*", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto",
        "X-Forwarded-Port", "X-Forwarded-Prefix", "X-Forwarded-Server", "X-Forwarded-Scheme", "X-Forwarded-Ssl",
        "X-Forwarded-By", "X-Forwarded-User", "X-Forwarded-Email", "X-Forwarded-Groups", "X-Forwarded-Roles",
        "X-Forwarded-Preferred-Username", "X-Forwarded-Access-Token", "X-Forwarded-Client-Cert",
        "X-Forwarded-Tls-Client-Cert", "Forwarded-For", "X-Real-IP", "X-Host", "X-Scheme", "X-Url-Scheme", "Client-IP",
        "X-Client-IP", "X-Remote-IP", "X-Remote-Addr", "Remote-Addr", "Remote-Host", "Fly-Client-IP", "True-Client-IP",
        "X-ProxyUser-IP", "Proxy-Client-IP", "Front-End-Https", "CF-Connecting-IP", "CF-Connecting-IPv6",
        "Fastly-Client-IP", "X-Azure-ClientIP", "X-Azure-SocketIP", "X-Cluster-Client-IP", "X-AppEngine-User-IP",
        "X-HTTP-Host-Override", "X-Envoy-External-Address", "X-Envoy-Internal", "X-Envoy-Original-Host",
        "X-Envoy-Downstream-Service-Cluster", "X-Envoy-Downstream-Service-Node", "X-Envoy-Peer-Metadata",
        "X-Envoy-Peer-Metadata-Id", "WL-Proxy-*", "WL-Proxy-Client-IP",
    ]

    /// Fields that make frameworks use another method, path or environment than the decision did (another gateway's
    /// CVE-2023-30845; `Proxy`: CVE-2016-5385 and others).
    private static let overrides = [
        "X-HTTP-Method-Override", "X-Method-Override", "X-HTTP-Method", "X-Rewrite-URL", "X-Original-*",
        "X-Original-URL", "X-Original-URI", "X-Original-Method", "X-Original-Host", "X-Envoy-Original-Path", "Proxy",
    ]

    /// Identities, as asserted by proxies and access managers.
    private static let identities = [
        // Web servers, and access proxies that follow their names.
        "Remote-User", "Remote-Users", "Remote-Name", "Remote-Email", "Remote-Group", "Remote-Groups", "Remote-Role",
        "Remote-Roles", "Remote-Ident", "X-Remote-User", "X-Remote-User-Id", "X-Remote-Name", "X-Remote-Email",
        "X-Remote-Group", "X-Remote-Groups", "X-Remote-Role", "X-Remote-Roles", "X-Remote-Extra-*", "X-Remote-Uid",
        "Proxy-User", "Proxy-Remote-User", "X-Proxy-User", "X-Proxy-Remote-User", "Auth-User", "Auth-Type",
        // OAuth2 Proxy, Grafana, ingress controllers.
        "X-Auth-Request-*", "X-Auth-Request-User", "X-Auth-Request-Email", "X-Auth-Request-Groups",
        "X-Auth-Request-Preferred-Username", "X-Auth-Request-Access-Token", "X-WebAuth-*", "X-WebAuth-User",
        "X-WebAuth-Email", "X-WebAuth-Name", "X-WebAuth-Groups", "X-WebAuth-Role", "X-Auth-Subject", "X-Auth-User",
        "X-Auth-User-Id", "X-Auth-Username", "X-Auth-Name", "X-Auth-Email", "X-Auth-Group", "X-Auth-Groups",
        "X-Auth-Role", "X-Auth-Roles", "X-Auth-Userinfo", "X-Userinfo", "X-Token-Subject", "X-Authenticated-*",
        "X-Authenticated-User", "X-Authenticated-UserId", "X-Authenticated-Groups", "X-Authenticated-Scope",
        // API gateways.
        "X-Consumer-Id", "X-Consumer-Custom-Id", "X-Consumer-Username", "X-Consumer-Groups", "X-Credential-Identifier",
        "X-Credential-Username", "X-Anonymous-Consumer", "X-JWT-Assertion", "X-JWT-Payload", "X-Endpoint-API-UserInfo",
        "X-Apigateway-Api-Userinfo",
        // Clouds.
        "X-MS-Client-Principal", "X-MS-Client-Principal-*", "X-MS-Client-Principal-Id", "X-MS-Client-Principal-Name",
        "X-MS-Token-*", "X-Amzn-Oidc-*", "X-Amzn-Oidc-Identity", "X-Amzn-Oidc-Data", "X-Amzn-Oidc-Accesstoken",
        "X-Goog-Authenticated-User-*", "X-Goog-Authenticated-User-Email", "X-Goog-Authenticated-User-Id",
        "X-Goog-IAP-JWT-Assertion", "Cf-Access-Authenticated-User-Email", "Cf-Access-Jwt-Assertion",
        // Access managers.
        "OAM-Remote-User", "OAM-Remote-User-Groups", "OAM-Identity-Domain", "OAM-Last-Reauthentication-Time", "Osso-*",
        "SM-User", "SM-UserDN", "SM-UniversalID", "SM-ServerSessionID", "SM-AuthDirName", "IV-User", "IV-User-L",
        "IV-Groups", "IV-Creds", "OIDC-Claim-*", "OIDC-Access-Token", "OIDC-Id-Token", "X-Pomerium-*", "X-Authentik-*",
        "X-Vouch-*", "X-Vouch-User", "Tailscale-User-*", "Teleport-Jwt-Assertion",
    ]

    /// The client's certificate. RFC 9440 section 4: the hop that terminates TLS removes such fields of clients.
    private static let certificates = [
        "Client-Cert", "Client-Cert-*", "Client-Cert-Chain", "X-Client-Cert", "X-Client-Cert-*", "X-Client-Certificate",
        "X-Client-DN", "X-Client-Verify", "X-Client-Subject-DN", "SSL-Client-*", "SSL-Client-Cert",
        "SSL-Client-Verify", "SSL-Client-Subject-DN", "SSL-Client-S-DN", "X-SSL", "X-SSL-Client-*", "X-SSL-Client-DN",
        "X-SSL-Client-CN", "X-SSL-Client-Cert", "X-SSL-Client-Verify", "X-SSL-Client-S-DN", "X-SSL-Cert",
        "X-SSL-Issuer",
        "X-SSL-Subject", "X-TLS-Client-*", "X-TLS-Client-Cert", "X-ARR-ClientCert", "X-ARR-SSL", "X-Amzn-Mtls-*",
        "WL-Proxy-Client-Cert", "WL-Proxy-SSL",
    ]

    /// Fields that affect the decision or carry credentials: they are managed elsewhere, and their spellings without
    /// separators are removed.
    static let imitated = CallerFields.credentials + ["X-Request-Id"] + CallerFields.claims
}
