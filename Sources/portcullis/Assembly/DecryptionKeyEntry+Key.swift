import Configuration
import Crypto
import JOSE
import Model

extension DecryptionKeyEntry {
    /// The key; nil after an error.
    /// - Parameter pointer: of the entry.
    func key(_ context: AssemblyContext, at pointer: String) -> DecryptionKey? {
        let pem: String
        let member: String
        switch place {
        case .secret(let secret) where secret.origin == .absent: return nil
        case .secret(let secret): (pem, member) = (secret.value, "\(pointer)/key")
        case .file(let path):
            member = "\(pointer)/keyFile"
            guard let bytes = context.read(path, at: member) else { return nil }
            pem = String(decoding: bytes, as: UTF8.self)
        }
        do throws(KeyError) {
            return DecryptionKey(keyID: keyID, key: try RecipientKey(pem: pem))
        } catch {
            context.error(member, "the key cannot decrypt tokens: \(error.reason)")
            return nil
        }
    }

    /// The keys of a list, without those that have been reported.
    /// - Parameter pointer: of the list.
    static func keys(
        _ entries: [DecryptionKeyEntry], _ context: AssemblyContext, at pointer: String
    ) -> [DecryptionKey] {
        var keys: [DecryptionKey] = []
        for (index, entry) in entries.enumerated() {
            if let key = entry.key(context, at: "\(pointer)/\(index)") { keys.append(key) }
        }
        return keys
    }
}
