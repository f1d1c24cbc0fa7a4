import Bytes
import Foundation

/// Files with certificates and keys. What they say is checked where TLS is at home; here, whether they are what was
/// meant at all.
extension Field {
    /// Absolute path of a PEM file with certificates.
    func certificateFile(_ recipe: CertificateRecipe? = nil) -> String? {
        let expected = "a PEM file with certificates"
        guard let path = path() else { return nil }
        guard FileManager.default.fileExists(atPath: path) else {
            error("the file \(summary) does not exist", expected: recipe?.expectation ?? expected)
            return nil
        }
        guard let text = pem(path) else { return nil }
        guard text.contains("-----BEGIN CERTIFICATE-----") else {
            error("the file holds no certificate", expected: expected, found: summary)
            return nil
        }
        return path
    }

    /// Absolute path of a PEM file with a private key.
    func keyFile() -> String? {
        let expected = "a PEM file with a private key"
        guard let path = path() else { return nil }
        guard FileManager.default.fileExists(atPath: path) else {
            error("the file \(summary) does not exist", expected: expected)
            return nil
        }
        guard let text = pem(path) else { return nil }
        guard text.contains("PRIVATE KEY-----") else {
            error("the file holds no private key", expected: expected, found: summary)
            return nil
        }
        guard !text.contains("-----BEGIN ENCRYPTED PRIVATE KEY-----"), !text.contains("Proc-Type: 4,ENCRYPTED") else {
            error("the key is encrypted, and there is nobody to ask for the passphrase", expected: "a key without one")
            return nil
        }
        warnOfReaders(path)
        return path
    }

    private func pem(_ path: String) -> String? {
        contents(of: path).map { String(decoding: $0, as: UTF8.self) }
    }

    private func warnOfReaders(_ path: String) {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let mode = (attributes?[.posixPermissions] as? NSNumber)?.intValue, mode & 0o004 != 0 else { return }
        warning("the key can be read by everybody on this machine", expected: "chmod 600 \(path)")
    }
}

/// How to make a certificate that is missing together with its key: for a try, not for production.
struct CertificateRecipe {
    let expectation: String

    /// - Parameter object: with `certFile` and `keyFile`.
    /// - Returns: nil unless both files are missing.
    init?(_ object: Field) {
        let names = ["certFile", "keyFile"].compactMap { object.node[$0]?.string }
        guard names.count == 2, !names.contains("") else { return nil }
        let paths = names.map(object.findings.path(of:))
        guard !paths.contains(where: FileManager.default.fileExists) else { return nil }
        let words = paths.map(CertificateRecipe.quoted)
        var folders: [String] = []
        for path in paths {
            let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
            guard !folder.isEmpty, !FileManager.default.fileExists(atPath: folder) else { continue }
            let name = CertificateRecipe.quoted(folder)
            if !folders.contains(name) { folders.append(name) }
        }
        let preparation = folders.isEmpty ? "" : "mkdir -p \(folders.joined(separator: " ")) && "
        expectation =
            "a PEM file with certificates; for a try, `\(preparation)openssl req -x509 -newkey ec "
            + "-pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=localhost "
            + "-addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout \(words[1]) -out \(words[0])` makes one"
    }

    /// A word that a shell takes as it is.
    private static func quoted(_ path: String) -> String {
        let isPlain = path.utf8.allSatisfy { byte in
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                || "/._-+@%:,".utf8.contains(byte)
        }
        return isPlain ? path : "'" + path.replacing("'", with: "'\\''") + "'"
    }
}
