import Bytes
import Declaration
import Model
import Reactor

/// A named signing certificate of an outside issuer (JWT-20, SAML-08). Checks only the PEM form; the composition root
/// checks the contents.
package struct StoredCertificateEntry: Sendable {
    /// Unique, compared with case.
    package var alias: String
    /// One certificate in PEM form.
    package var pem: [UInt8]

    static func readAll(_ field: Field) -> [StoredCertificateEntry] {
        var entries: [StoredCertificateEntry] = []
        for element in field.elements("an array of {\"alias\", \"pem\"}") ?? [] {
            guard let entry = shape.read(element) else { continue }
            if !entry.alias.isEmpty, entries.contains(where: { $0.alias.isExactly(entry.alias) }) {
                element.error("duplicate certificate \"\(entry.alias)\"", expected: "a unique alias")
            }
            entries.append(entry)
        }
        return entries
    }

    static let shape = Shape.object("a certificate: {\"alias\", \"pem\"}") { object in
        let text = Shape(.pattern("-----BEGIN CERTIFICATE-----"), read: { $0.pem() })
        let file = Shape(.text, read: { $0.pemFile() })
        let pem = object.take("pem", text, "One certificate in PEM form, as text.")
        let pemFile = object.take("pemFile", file, "A file with one certificate in PEM form.")
        let alias = object.required("alias", .name, "a unique name", placeholder: "", "Unique name.")
        object.rules(.exactlyOne(of: "pem", "pemFile", expected: "one certificate in PEM form"))
        return StoredCertificateEntry(alias: alias, pem: (pem ?? pemFile)?.read() ?? [])
    }
}

extension Field {
    fileprivate func pem() -> [UInt8]? {
        guard let text = text("a certificate in PEM form") else { return nil }
        if text.hasPrefix("file:") {
            return error(
                "\"pem\" is the text of a certificate, not the name of a file",
                expected: "\"pemFile\": \"\(text.dropFirst(5))\"")
        }
        return certificate(text) { error("the text does not contain exactly one certificate", expected: $0) }
    }

    fileprivate func pemFile() -> [UInt8]? {
        guard let path = certificateFile(), let data = try? FileSystem.read(path) else { return nil }
        return certificate(String(decoding: data, as: UTF8.self)) {
            error("the file does not contain exactly one certificate", expected: $0, found: summary)
        }
    }

    /// Exactly one, since a chain leaves open which certificate is trusted.
    private func certificate(_ text: String, orSay complain: (String) -> Void) -> [UInt8]? {
        guard text.ranges(of: "-----BEGIN CERTIFICATE-----").count == 1, !text.contains("PRIVATE KEY-----") else {
            complain("one certificate in PEM form, and no key")
            return nil
        }
        return Array(text.utf8)
    }
}
