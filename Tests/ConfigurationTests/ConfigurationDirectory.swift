import ApiOmat
import Configuration
import Declaration
import Facebook
import Foundation
import LoginPages
import MobileSocial
import Model
import OAuthServer
import ServiceDomains
import SingleSignOn
import UserProfiles

/// A configuration directory of its own for one test, removed when the test ends.
final class ConfigurationDirectory {
    let url: URL

    /// What the directory holds unless a test says otherwise: a valid configuration with one thing of each kind.
    static let base = [
        "gateway.json": gateway(),
        "roles.json": #"["Manager", "Clerk"]"#,
        "webgates.json": #"[{ "name": "MainWG", "level": 2 }]"#,
        "issuers.json": #"{ "local": { "module": "embedded" } }"#,
        "backends.json": #"[{ "name": "inventory", "version": "1.0", "mobileBackendId": "mbe-1" }]"#,
    ]

    /// A valid `gateway.json` whose members from line 5 on are given.
    static func gateway(_ extra: String = "\"workers\": 1") -> String {
        """
        {
          "baseUrl": "http://127.0.0.1:8080",
          "listeners": [{ "address": "127.0.0.1", "port": 8080 }],
          "upstreams": { "inventory": { "url": "http://127.0.0.1:9000" } },
          \(extra)
        }
        """
    }

    init(_ files: [String: String], on base: [String: String] = base) throws {
        url = FileManager.default.temporaryDirectory.appending(path: "portcullis-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        for (name, text) in base.merging(files, uniquingKeysWith: { $1 }) { try write(name, text) }
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: url.appending(path: name))
    }

    /// What `deploy/demo` puts there, as far as the loader looks at it.
    func makeCertificate() throws {
        let folder = url.appending(path: "tls")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try write("tls/cert.pem", "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n")
        try write("tls/key.pem", "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n")
        let key = folder.appending(path: "key.pem").path(percentEncoded: false)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
    }

    var path: String { url.path(percentEncoded: false) }

    func load(
        _ environment: [String: String] = [:], production: Bool = false,
        extensions: [SectionExtension] = Families.sections
    ) -> LoadedConfiguration {
        ConfigurationLoader.load(
            directory: path, environment: environment, production: production, extensions: extensions,
            endpoints: Families.endpoints)
    }
}

/// The sections that other targets declare.
enum Families {
    static let sections = [
        UserProfileSection.declaration, SingleSignOnSection.declaration, ServiceDomainsSection.declaration,
        Application.section, Application.ofRoutes, SocialLogin.declaration, SingleSignOnSection.ofBackends,
    ]
    static let endpoints =
        UserProfileEndpoints.all + ApplicationEndpoints.all + MobileSocialEndpoints.all + SingleSignOnEndpoints.all
        + ProviderEndpoints.all + OAuthEndpoints.all
}

extension LoadedConfiguration {
    /// The fixture with every setting.
    static func complete() -> LoadedConfiguration {
        let directory = ValidConfigurationTests.root.appending(path: "Tests/Fixtures/configuration/complete")
        return ConfigurationLoader.load(
            directory: directory.path(percentEncoded: false), environment: ["ADMIN_TOKEN": "adm"], production: false,
            extensions: Families.sections,
            endpoints: Families.endpoints)
    }

    func lines(_ severity: Severity) -> [String] {
        diagnostics.filter { $0.severity == severity }.map(\.description)
    }
}

extension StoreSection {
    /// Where a configuration that says nothing of its store gets a warning.
    static let usualWarnings = usualKind.sharing == .process ? ["/store/kind"] : []
}
