import Bytes
import Crypto

extension KeySet {
    /// Reads a configured file: a JWK set, or public keys and certificates in PEM form (RFC 7468 sections 5 and 13), whose
    /// dates do not matter. As in a set, one key that cannot be used is an error of the whole file.
    package init(file: Span<UInt8>) throws(KeySetError) {
        guard try KeySet.isPEM(file) else {
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

    /// Whether a file has PEM blocks, before which any text may stand (RFC 7468 section 2), and not JSON.
    private static func isPEM(_ file: Span<UInt8>) throws(KeySetError) -> Bool {
        var start = 0
        while start < file.count, file[start] <= ASCII.space { start += 1 }
        // JSON may begin with a byte order mark, which has a message of its own.
        let first = start < file.count ? file[start] : 0
        if [UInt8(ascii: "{"), UInt8(ascii: "["), 0xEF].contains(first) { return false }
        if first == UInt8(ascii: "-") || String(copying: file).contains("-----BEGIN ") { return true }
        // A SEQUENCE (X.690 section 8.9) with the long form of its length.
        throw KeySetError(.otherForm(isDER: file.count > 1 && file[0] == 0x30 && file[1] & 0x80 != 0))
    }

    /// The certificates of a file that is read as keys, for which their dates do not matter.
    package static func certificates(in file: Span<UInt8>) -> [SignerCertificate] {
        guard (try? isPEM(file)) == true else { return [] }
        return blocks(String(copying: file)).filter { $0.label == "CERTIFICATE" }.compactMap { block in
            try? SignerCertificate(pem: Array(block.text.utf8))
        }
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
