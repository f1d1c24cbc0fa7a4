import ClientStore
import Declaration

/// The credential store of a configuration directory, for secrets that are written `cred:KEY` (CRED-01).
enum SecretStore {
    /// In `state`, with the gateway's other keys. Not bound to the machine, since containers change theirs.
    static func of(_ directory: String) -> CredentialStore {
        CredentialStore(directory: "\(directory)/state", isHostBound: false)
    }

    /// The password of the entry `KEY`, and what programs print.
    static func lookup(_ directory: String) -> SecretLookup {
        SecretLookup(
            stored: { key in
                do throws(ClientError) {
                    return try of(directory).credential(url: key)?.password.map { .secret($0) } ?? .missing
                } catch {
                    return .unreadable(error.description)
                }
            },
            printed: { SecretProcess(directory: directory).run($0) })
    }
}
