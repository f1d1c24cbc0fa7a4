import Configuration
import Crypto
import JOSE
import Reactor

extension SignerAuthoritiesEntry {
    /// Nil after an error.
    /// - Parameter pointer: of the entry.
    func authorities(_ context: AssemblyContext, at pointer: String) -> SignerAuthorities? {
        let places = (authorities: "\(pointer)/caFile", lists: "\(pointer)/crlFile")
        guard let pem = context.read(authoritiesFile, at: places.authorities) else { return nil }
        var lists: [UInt8]?
        if let path = revocationListFile {
            guard let bytes = context.read(path, at: places.lists) else { return nil }
            lists = bytes
        }
        do throws(TLSSettingsError) {
            let verifier = try SignerChainVerifier(authoritiesPEM: pem, revocationLists: lists)
            let now = Clock.wallSeconds
            for complaint in verifier.revocationLists.compactMap({ $0.complaint(at: now) }) {
                context.expired(places.lists, complaint)
            }
            return SignerAuthorities(verifier, names: names)
        } catch {
            if case .revocationLists = error {
                context.error(places.lists, error.description)
            } else {
                context.error(places.authorities, error.description)
            }
            return nil
        }
    }
}
