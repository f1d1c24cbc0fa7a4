import Bytes
import Configuration
import Crypto
import Gateway
import Identity
import JOSE
import Model
import Reactor

/// The outside issuers whose assertions are exchanged, with their keys and certificates.
struct AssertionAssembly: AssemblyPart {
    let context: AssemblyContext

    /// Whose tokens are exchanged, and by which rules.
    func assertionSources(_ catalogue: RoleCatalogue) -> AssertionSources {
        let now = Clock.wallSeconds
        let baseURL = configuration.baseURL.description
        let policy = AssertionPolicy(configuration.policies, baseURL: baseURL, catalogue: catalogue)
        for finding in policy.findings { report(finding) }
        if !policy.entries.isEmpty { warnOfClients() }
        if !policy.samlEntries.isEmpty, let obstacle = SAMLVerifier.obstacle {
            // JWTs are exchanged all the same, so this is no reason not to start.
            context.errorOfCheck(
                "/policies/Security_AuthTokenConfiguration/samlIssuers",
                "\(obstacle.problem): no assertion can be exchanged", expected: obstacle.expected)
        }
        let (directory, files) = (context.loaded.directory, context.loaded.sectionFiles)
        let reloads = retained.assertions
        let policyReader = reloads.reader(of: "policy", log: retained.log) {
            ConfigurationLoader.policies(
                directory: directory, environment: Environment.values, formerFiles: files
            ).map {
                AssertionPolicy($0, baseURL: baseURL, catalogue: catalogue)
            }
        }
        let withdrawn = retained.withdrawn
        let certificateReader = reloads.reader(of: "certificates", log: retained.log) {
            ConfigurationLoader.certificates(
                directory: directory, environment: Environment.values, formerFiles: files
            ).map { entries in
                CertificateStore(
                    entries.compactMap { entry in
                        (try? SignerCertificate(pem: entry.pem)).map { .init(alias: entry.alias, certificate: $0) }
                    }, withdrawn: withdrawn)
            }
        }
        let keySets = keySets(of: policy)
        return AssertionSources(
            policy: ReloadingValue(policy, loadedAt: now, counter: reloads.policyFailures, read: policyReader),
            certificates: ReloadingValue(
                certificateStore(), loadedAt: now, counter: reloads.certificateFailures, read: certificateReader),
            remoteKeys: { keySets.keys($0, issuer: $1, $2, now: $3) })
    }

    /// The keys that are fetched. Those of the configuration are kept fresh, and told of; the gateway is ready without
    /// them.
    private func keySets(of policy: AssertionPolicy) -> AssertionKeySets {
        let sets = AssertionKeySets(retained, directory: context.loaded.directory)
        for (index, entry) in policy.entries.enumerated() {
            guard let issuer = entry.issuer, issuer.isEnabled, case .remote(let source) = issuer.keys else { continue }
            if let keys = sets.make(source, issuer: issuer.name) {
                context.issuerKeys.append(IssuerKeys(name: issuer.name, keys: keys, isOptional: true))
            } else {
                context.warning(
                    "/policies/Security_AuthTokenConfiguration/issuers/\(index)/jwks",
                    "no key can be fetched: an address is wrong, or trustFile cannot be used")
            }
        }
        return sets
    }

    /// The certificates, each of which must be one.
    private func certificateStore() -> CertificateStore {
        var entries: [CertificateStore.Entry] = []
        // An empty one is absent in a review.
        for (index, entry) in configuration.certificates.enumerated() where !entry.pem.isEmpty {
            do throws(CertificateProblem) {
                let certificate = try SignerCertificate(pem: entry.pem)
                entries.append(.init(alias: entry.alias, certificate: certificate))
                if certificate.notAfter < Clock.wallSeconds {
                    context.expired("/certificates/\(index)", "the certificate has expired")
                }
            } catch {
                context.error("/certificates/\(index)", error.description)
            }
        }
        return CertificateStore(entries, withdrawn: retained.withdrawn)
    }

    /// An error for `check` is a warning for a running gateway, which continues without the exchange and reads the policy
    /// again at the next exchange (JWT-03).
    private func report(_ finding: AssertionFinding) {
        let pointer = "/policies/Security_AuthTokenConfiguration\(finding.pointer)"
        if finding.severity == .error {
            context.errorOfCheck(pointer, finding.message, expected: finding.expected)
        } else {
            context.report(pointer, finding.message, expected: finding.expected, severity: .warning)
        }
    }

    /// AMB-09: the documents ask for HTTP Basic where tokens are exchanged, and nothing comes of it.
    private func warnOfClients() {
        for entry in configuration.clients
        where entry.client.oauthConsumer && !entry.client.httpBasic && !entry.client.isStandard {
            context.warning(
                "\(entry.pointer)/httpBasic", "tokens are exchanged for this backend though \"httpBasic\" is off")
        }
    }
}

extension AssertionPolicy {
    fileprivate init(_ policies: PoliciesSection, baseURL: String, catalogue: RoleCatalogue) {
        let lifetime = TokenLifetime(
            seconds: policies.tokenExchangeTimeoutSeconds.map(Int64.init),
            policy: policies.tokenExchangeTimeoutPolicy)
        if let node = policies.authTokenConfiguration {
            self.init(node, baseURL: baseURL, lifetime: lifetime, catalogue: catalogue)
        } else {
            self.init(lifetime: lifetime)
        }
    }
}
