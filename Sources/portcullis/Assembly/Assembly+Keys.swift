import Configuration
import Crypto
import Foundation
import Gateway
import Identity
import JOSE
import Model

extension Assembly {
    /// The keys of a trusted issuer, from a file or as it publishes them; nil after an error.
    mutating func keys(of entry: TrustedIssuerEntry, at pointer: String) -> TrustedIssuer.Keys? {
        switch entry.keys {
        case .file(let path): keySet(path, pointer: "\(pointer)/jwksFile").map { .fixed($0) }
        case .published(let published): keys(published, of: entry, at: pointer).map { .published($0) }
        case .certified(let entry): entry.authorities(&self, at: "\(pointer)/x5c").map { .certified($0) }
        // The server is asked about each token.
        case .introspection, nil: nil
        }
    }

    private mutating func keys(
        _ entry: PublishedKeysEntry, of issuer: TrustedIssuerEntry, at pointer: String
    ) -> RemoteKeySet? {
        var settings = entry.settings
        settings.issuer = issuer.issuer
        if let path = entry.trustFile {
            guard let authorities = contents(of: path, at: "\(pointer)/trustFile") else { return nil }
            settings.authorities = authorities
        }
        do throws(TLSSettingsError) {
            let keys = try retained.keys.keys(
                settings, name: issuer.name, caller: retained.outbound, log: retained.log)
            issuerKeys.append(IssuerKeys(name: issuer.name, keys: keys, isOptional: entry.isOptional))
            return keys
        } catch {
            self.error("\(pointer)/trustFile", error.description)
            return nil
        }
    }
}
