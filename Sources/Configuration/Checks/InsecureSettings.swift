import Declaration
import Model

/// Settings that `serve` refuses without `--insecure`: with them, other machines that reach a listener, or that answer
/// in place of an upstream, get what the gateway protects.
///
/// A gateway that only this machine reaches is exempt, as the sample configuration is.
package struct InsecureSettings {
    package struct Finding: Sendable {
        package let pointer: String
        package let message: String
        package let expected: String
    }

    package private(set) var findings: [Finding] = []

    /// Secrets of the sample configuration, which are public.
    static let sampleSecrets: Set<String> = [
        "admin-secret", "inv-secret", "inventory-profile-secret", "sample-app-secret", "sch-secret", "YW5vbi1pbnY6azN5",
        "YW5vbi1mYjprM3k=",
    ]

    /// Beginnings of the password hashes of the sample configuration, whose passwords its documentation has: the salts.
    static let sampleSalts = [
        "Lggrco3wKlMUyrmbR3bHgw==", "Dli7JLt2IIrVpX074SuQXw==", "RFXuU6Q39SwOxpCPj97y+w==", "cuPGkw+6dZwebyv3suOO2Q==",
    ]

    package init(_ configuration: GatewayConfiguration) {
        if let admin = configuration.admin, let token = admin.token, !admin.address.isLoopback,
            InsecureSettings.sampleSecrets.contains(token.value)
        {
            add("/admin/adminToken", "the token is that of the sample configuration", "a token of your own")
        }
        guard configuration.listeners.contains(where: \.isExposed) else { return }
        findSampleSecrets(configuration)
        findUnverified(configuration)
    }

    private mutating func add(_ pointer: String, _ message: String, _ expected: String) {
        findings.append(Finding(pointer: pointer, message: message, expected: expected))
    }

    private mutating func findSampleSecrets(_ configuration: GatewayConfiguration) {
        for (pointer, value) in InsecureSettings.secrets(configuration)
        where value.map(InsecureSettings.sampleSecrets.contains) == true {
            add(pointer, "the secret is that of the sample configuration", "a secret of your own")
        }
        for (i, user) in configuration.users.enumerated() where user.enabled {
            guard let hash = user.passwordHash, InsecureSettings.sampleSalts.contains(where: hash.contains) else {
                continue
            }
            add(
                "/users/\(i)/password", "the password is that of the sample configuration",
                "a hash of `portcullis hash`")
        }
    }

    /// The kinds of secrets that the sample configuration has.
    private static func secrets(_ configuration: GatewayConfiguration) -> [(pointer: String, value: String?)] {
        let ofClients = configuration.clients.flatMap { entry in
            [
                ("\(entry.pointer)/clientSecret", entry.client.clientSecret?.value),
                ("\(entry.pointer)/anonymousKey", entry.client.anonymousKey),
                ("\(entry.pointer)/\(entry.socialLogin?.provider ?? "")/appSecret", entry.socialLogin?.appSecret),
            ]
        }
        return ofClients + configuration.values.values.flatMap(\.secrets)
    }

    private mutating func findUnverified(_ configuration: GatewayConfiguration) {
        let peers = configuration.policies.servers.map {
            (JSONPointer.child("/policyServers", $0.name), $0.tls, $0.url)
        }
        let collector = configuration.log.tracing.map { ("/tracing", $0.tls, $0.settings.url) }
        for (pointer, tls, url) in peers + [collector].compactMap(\.self)
        where tls?.verifies == false && url.isSecure && !["localhost", "127.0.0.1", "[::1]", "::1"].contains(url.host) {
            add(
                pointer + "/tls/verify", "certificates of a server on another machine are not verified",
                "\"verify\": true")
        }
        for upstream in configuration.upstreams where upstream.tls?.verifies == false {
            guard upstream.servers.contains(where: { $0.isSecure && !$0.isLocal && $0.host != "localhost" }) else {
                continue
            }
            add(
                JSONPointer.child("/upstreams", upstream.name) + "/tls/verify",
                "certificates of a server on another machine are not verified", "\"verify\": true")
        }
    }
}

extension InsecureSettings {
    /// - Parameter severity: an error for a gateway that starts, and for `check --production`.
    package func diagnostics(_ loaded: LoadedConfiguration, severity: Severity) -> [Diagnostic] {
        findings.map {
            loaded.diagnostic(
                pointer: $0.pointer, message: $0.message, severity: severity,
                expected: "\($0.expected); `serve` refuses it without --insecure")
        }
    }
}

extension ListenerEntry {
    /// Whether callers on other machines reach it. The addresses of inherited sockets are not known here.
    fileprivate var isExposed: Bool {
        guard rules.role != .metrics, case .address(let address, _) = place else { return false }
        return !address.isLoopback
    }
}
