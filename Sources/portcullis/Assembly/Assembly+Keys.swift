import Configuration
import Crypto
import Foundation
import Gateway
import Identity
import JOSE
import Model

extension Assembly {
    /// The keys of a trusted issuer, from a file or from where it publishes them; nil after a word about what is wrong.
    mutating func keys(of entry: TrustedIssuerEntry, at pointer: String) -> TrustedIssuer.Keys? {
        switch entry.keys {
        case .file(let path): keySet(path, pointer: "\(pointer)/jwksFile").map { .fixed($0) }
        case .published(let published): keys(published, of: entry, at: pointer).map { .published($0) }
        // Its server is asked about each token.
        case .introspection, nil: nil
        }
    }

    private mutating func keys(
        _ entry: PublishedKeysEntry, of issuer: TrustedIssuerEntry, at pointer: String
    ) -> RemoteKeySet? {
        guard let settings = settings(entry, issuer: issuer.issuer, at: pointer) else { return nil }
        do throws(TLSSettingsError) {
            let keys = try lasting.keys.keys(
                settings, name: issuer.name, caller: lasting.outbound, log: lasting.log)
            issuerKeys.append(IssuerKeys(name: issuer.name, keys: keys, isOptional: entry.isOptional))
            return keys
        } catch {
            self.error("\(pointer)/trustFile", error.description)
            return nil
        }
    }

    private mutating func settings(
        _ entry: PublishedKeysEntry, issuer: String, at pointer: String
    ) -> RemoteKeySettings? {
        var settings: RemoteKeySettings
        do throws(RemoteKeySettings.Problem) {
            settings = try RemoteKeySettings(
                issuer: issuer, discovery: entry.discoveryURI, keys: entry.jwksURI, allowHTTP: entry.allowHTTP)
        } catch {
            // The configuration has made sure of it.
            self.error(pointer, "there is no address that the keys may be fetched from")
            return nil
        }
        settings.minimumReloadSeconds = max(1, entry.minimumReload.components.seconds)
        settings.maximumReloadSeconds = max(1, entry.maximumReload.components.seconds)
        settings.staleSeconds = entry.maximumStale.components.seconds
        settings.connectTimeoutMilliseconds = entry.connectTimeout.milliseconds
        settings.readTimeoutMilliseconds = entry.readTimeout.milliseconds
        settings.authorization = entry.authorization?.value
        if let names = entry.tlsVersions {
            guard let range = try? TLSVersion.range(named: names) else {
                settings.versions = .none
                return withAuthorities(entry, settings, at: pointer)
            }
            settings.versions = .range(range)
        }
        return withAuthorities(entry, settings, at: pointer)
    }

    private mutating func withAuthorities(
        _ entry: PublishedKeysEntry, _ settings: RemoteKeySettings, at pointer: String
    ) -> RemoteKeySettings? {
        guard let path = entry.trustFile else { return settings }
        guard let text = contents(of: path, at: "\(pointer)/trustFile") else { return nil }
        var settings = settings
        settings.authorities = text
        return settings
    }
}
