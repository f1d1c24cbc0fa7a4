import Configuration
import Declaration
import Identity
import Model
import Outbound
import Testing

@testable import portcullis

/// A kind of identity provider that only these tests have.
private struct BadgeEntry: AssembledProvider {
    static let kinds = ["badge"]
    static let meaning = "of a test"

    static func read(_ object: inout ObjectReader, _ reading: ProviderReading) -> BadgeEntry? {
        object.keys(with: ProviderReading.isNamed(kinds), because: reading.unused) { _ in BadgeEntry() }
    }

    func provider(
        _ entry: IdentityProviderEntry, in context: AssemblyContext, certificates: AssertionSources
    ) -> (any BrowserIdentityProvider)? {
        BadgeProvider(name: entry.name, rules: entry.users)
    }
}

private final class BadgeProvider: BrowserIdentityProvider {
    let name: String
    let rules: ProviderRules

    init(name: String, rules: ProviderRules) { (self.name, self.rules) = (name, rules) }

    func begin(_ start: LoginStart, now: Int64) -> Effect<Result<LoginRedirect, ProviderFailure>> {
        .done(.success(LoginRedirect(location: "https://door.example.com/?s=\(start.state)")))
    }

    func finish(
        _ callback: ProviderCallback, _ secrets: LoginSecrets, redirectURI: String, now: Int64
    ) -> Effect<Result<ProvidedIdentity, ProviderFailure>> { .done(.failure(.malformedCallback)) }

    func logout(_ request: ProviderLogoutRequest, now: Int64) -> Effect<ProviderLogoutForm?> { .done(nil) }

    func logoutNotice(_ token: [UInt8], now: Int64) -> Effect<Result<LogoutNotice, ProviderFailure>> {
        .done(.failure(.malformedCallback))
    }
}

/// A kind of identity provider is its own files and one line: the program assembles what the configuration read.
@Suite struct AssembledProviderTests {
    @Test(
        "the program assembles each kind of the list but the gateway's own form", arguments: ProviderKinds.all.indices)
    func eachKind(_ index: Int) {
        let kind = ProviderKinds.all[index]
        #expect(kind is any AssembledProvider.Type || kind == OwnFormEntry.self)
    }

    @Test("browsers are sent to a provider of a further kind")
    func furtherKind() throws {
        let providers = """
            [{"name": "plain", "clientId": "c", "authorizationEndpoint": "https://a.example.com/",
            "tokenEndpoint": "https://a.example.com/t", "userInfoEndpoint": "https://a.example.com/u"},
            {"name": "form", "kind": "local"}]
            """
        let context = try ProgramDirectory(["identityProviders.json": providers]).context()
        var entries = context.configuration.identityProviders
        var badge = entries[1]
        (badge.name, badge.settings) = ("gate", BadgeEntry())
        entries.append(badge)
        let certificates = AssertionAssembly(context: context).assertionSources(RoleCatalogue([]))
        let made = ProviderAssembly(context: context).providers(entries, certificates: certificates)
        #expect(made.map(\.name) == ["plain", "gate"] && made[1] is BadgeProvider)
        #expect(context.diagnostics.isEmpty)
        // The one without published keys is what `check --connect` asks.
        let servers = entries.compactMap { entry in
            (entry.settings as? any AssembledProvider)?.server(of: entry, in: context)
        }
        #expect(servers.map { "\($0.0)" } == ["https://a.example.com/t"])
    }
}
