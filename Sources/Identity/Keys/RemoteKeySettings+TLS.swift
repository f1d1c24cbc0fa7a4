import Crypto
import Model

extension RemoteKeySettings {
    /// The TLS context for calls; nil for the default one.
    func clientContext() throws(TLSSettingsError) -> TLSClientContext? {
        guard authorities != nil || versions != .standard else { return nil }
        var settings = TLSClientSettings()
        settings.protocols = [.http11]
        if let authorities { settings.trust = .systemAnd(authorities) }
        if case .range(let range) = versions {
            settings.minimumVersion = range.lowerBound
            settings.maximumVersion = range.upperBound
        }
        return try TLSClientContext(settings)
    }
}
