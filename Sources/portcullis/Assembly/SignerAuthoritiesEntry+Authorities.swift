import Configuration
import Crypto
import Foundation
import JOSE

extension SignerAuthoritiesEntry {
    /// Nil after an error.
    /// - Parameter pointer: of the entry.
    func authorities(_ assembly: inout Assembly, at pointer: String) -> SignerAuthorities? {
        let places = (authorities: "\(pointer)/caFile", lists: "\(pointer)/crlFile")
        guard let pem = assembly.contents(of: authoritiesFile, at: places.authorities) else { return nil }
        var lists: [UInt8]?
        if let path = revocationListFile {
            guard let bytes = assembly.contents(of: path, at: places.lists) else { return nil }
            lists = bytes
        }
        do throws(TLSSettingsError) {
            let verifier = try SignerChainVerifier(authoritiesPEM: pem, revocationLists: lists)
            let now = Int64(Date().timeIntervalSince1970)
            for complaint in verifier.revocationLists.compactMap({ $0.complaint(at: now) }) {
                assembly.expired(places.lists, complaint)
            }
            return SignerAuthorities(verifier, names: names)
        } catch {
            if case .revocationLists = error {
                assembly.error(places.lists, error.description)
            } else {
                assembly.error(places.authorities, error.description)
            }
            return nil
        }
    }
}
