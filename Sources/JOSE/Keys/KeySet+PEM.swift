import Bytes
import Crypto

extension KeySet {
    /// Reads a configured file: a JWK set, or public keys and certificates in PEM form (RFC 7468 sections 5 and 13), whose
    /// dates do not matter. As in a set, one key that cannot be used is an error of the whole file.
    package init(file: Span<UInt8>) throws(KeySetError) {
        var start = 0
        while start < file.count, file[start] <= ASCII.space { start += 1 }
        guard start < file.count, file[start] == UInt8(ascii: "-") else {
            try self.init(jwks: file)
            return
        }
        let blocks = KeySet.blocks(String(copying: file))
        // All of them may be tried for a token.
        guard blocks.count <= KeySet.maximumTries else { throw KeySetError(.tooManyUnnamed) }
        guard !blocks.isEmpty else { throw KeySetError(.key(.malformedPEM)) }
        var keys: [VerificationKey] = []
        for (index, block) in blocks.enumerated() {
            do throws(KeySetError.Reason) {
                keys.append(try KeySet.key(block))
            } catch {
                throw KeySetError(error, keyIndex: index)
            }
        }
        self.init(keys: keys.map { JSONWebKey(kid: nil, algorithm: nil, key: $0) }, hasNames: false)
    }

    /// Label and text of each block; the last one may lack its end.
    private static func blocks(_ text: String) -> [(label: Substring, text: String)] {
        var blocks: [(label: Substring, text: String)] = []
        for line in text.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("-----BEGIN ") {
                let label = line.dropFirst(11).prefix { $0 != "-" }
                blocks.append((label, ""))
            }
            if !blocks.isEmpty { blocks[blocks.count - 1].text += line + "\n" }
        }
        return blocks
    }

    private static func key(_ block: (label: Substring, text: String)) throws(KeySetError.Reason) -> VerificationKey {
        switch block.label {
        case "PUBLIC KEY":
            do throws(KeyError) { return try VerificationKey(pem: block.text) } catch { throw .key(error) }
        case "CERTIFICATE":
            do throws(CertificateProblem) {
                return try SignerCertificate(pem: Array(block.text.utf8)).key
            } catch {
                throw .certificate(error)
            }
        case let label where label.hasSuffix("PRIVATE KEY"): throw .privateKey
        case let label: throw .otherBlock(String(label.prefix(64)))
        }
    }
}
