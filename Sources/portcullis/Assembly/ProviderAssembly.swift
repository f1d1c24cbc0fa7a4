import Configuration
import Gateway
import Identity
import Issuers
import LoginPages
import Model
import Outbound
import Reactor

/// A kind of identity provider that browsers are sent to.
protocol AssembledProvider: ProviderEntry {
    /// - Parameter certificates: those of `certificates.json`.
    /// - Returns: nil with an error among the diagnostics.
    func provider(
        _ entry: IdentityProviderEntry, in context: AssemblyContext, certificates: AssertionSources
    ) -> (any BrowserIdentityProvider)?

    /// A server that `check --connect` tries where the entry has no published keys; nil for none.
    func server(of entry: IdentityProviderEntry, in context: AssemblyContext) -> (WebURL, OutboundTransport)?
}

extension AssembledProvider {
    func server(of entry: IdentityProviderEntry, in context: AssemblyContext) -> (WebURL, OutboundTransport)? { nil }
}

/// Identity providers behind logins by browser (SSO-07, RP-01).
struct ProviderAssembly: AssemblyPart {
    let context: AssemblyContext

    /// Those that browsers are sent to.
    func providers(
        _ entries: [IdentityProviderEntry], certificates: AssertionSources
    ) -> [any BrowserIdentityProvider] {
        entries.filter { !$0.name.isEmpty }.compactMap { entry in
            (entry.settings as? any AssembledProvider)?.provider(entry, in: context, certificates: certificates)
        }
    }

    /// Sends browsers to the providers.
    func providerLogin(
        _ seals: BrowserSeals, _ store: RetainedStore.Opened, _ assertions: AssertionSources
    ) -> ProviderLogin {
        let providers = providers(configuration.allIdentityProviders, certificates: assertions)
        let log = retained.log
        let queue = SerialQueue(label: "provider revocations")
        let revoker = ProviderRevoker(offload: { queue.submit($0) }) {
            [counts = retained.providerRevocations] provider, failure in
            counts.count(failure?.reason, at: provider)
            guard let failure else { return log.write(.providerTokenRevoked, [("provider", .text(provider))]) }
            log.write(
                .providerRevocationFailed,
                [
                    ("provider", .text(provider)), ("reason", .text("\(failure.reason)")),
                    ("detail", .text(failure.detail)),
                ])
        }
        return ProviderLogin(
            providers, seals: seals, store: store.tokens, revocations: retained.revocations,
            baseURL: configuration.baseURL.description, paths: configuration.tokenService.paths,
            furtherOrigins: configuration.additionalBaseURLs, throttle: retained.callbackThrottle, revoker: revoker,
            host: LoginHost(LoginAssembly(context: context).publicNames()) { log.write($0, requestID: $1) }
        ) { provider, failure, requestID in
            log.write(
                .providerLoginFailed,
                [
                    ("provider", .text(provider)), ("reason", .text("\(failure.reason)")),
                    ("detail", .text(failure.detail)), ("request_id", .text(requestID)),
                ])
        }
    }
}

extension ProviderAssembly {
    /// Where the tokens of logins come from.
    func tokenSource(_ login: ProviderLogin) -> LoginTokenSource {
        let tokens = LoginTokens(of: login, patienceSeconds: configuration.sessions.staleAfter.components.seconds) {
            milliseconds, then in
            SerialQueue.run(atMillisecond: Clock.wallMilliseconds + Int64(milliseconds)) { then(Clock.wallSeconds) }
        }
        return { tokens.tokens(of: $0, $1, now: $2) }
    }
}

extension LoginChoice {
    init(_ entry: IdentityProviderEntry) {
        self.init(
            entry.kind == .local ? LoginChoice.ownForm : entry.name, name: entry.name, title: entry.displayName)
    }
}
