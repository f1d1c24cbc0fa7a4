import Bytes
import Configuration
import Crypto
import Gateway
import Reactor

/// The certificate store (JWT-20, SAML-08).
extension Administration {
    func listCertificates(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let reading = try configuration.read()
        var writer = JSONWriter()
        writer.beginArray()
        for entry in reading.configuration.certificates { write(entry, to: &writer) }
        writer.endArray()
        let text = try configuration.text(of: "certificates", reading.loaded)
        return .shown(writer.bytes, tag: ConfigurationChange.tag(of: text))
    }

    func addCertificate(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let body = try AdminBody(request, known: ["alias", "pem"])
        let (alias, pem) = (try body.required("alias"), try body.required("pem"))
        do throws(CertificateProblem) {
            _ = try SignerCertificate(pem: Array(pem.utf8))
        } catch {
            throw .unusable([error.description])
        }
        let now = try configuration.change("certificates", empty: "[]", condition: request.condition) {
            (text, before) throws(AdminFailure) in
            if before.certificates.contains(where: { isSame($0.alias, alias) }) {
                throw .conflict("there is a certificate \"\(alias)\" already")
            }
            text.append([.object([("alias", .text(alias)), ("pem", .text(pem))])])
        }
        var writer = JSONWriter()
        for entry in now.configuration.certificates where isSame(entry.alias, alias) { write(entry, to: &writer) }
        return .changed(alias, status: 201, writer.bytes)
    }

    func removeCertificate(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let alias = request.path[1]
        _ = try configuration.change("certificates", empty: "[]", condition: request.condition) {
            (text, before) throws(AdminFailure) in
            let aliases = before.certificates.map(\.alias)
            guard let index = aliases.firstIndex(where: { isSame($0, alias) }) else {
                let near = Suggestion.nearest(to: alias, among: aliases)
                throw .notFound("there is no certificate \"\(alias)\"", suggestion: near)
            }
            text.remove([.element(index)])
        }
        return .changed(alias)
    }

    private func write(_ entry: StoredCertificateEntry, to writer: inout JSONWriter) {
        guard let certificate = try? SignerCertificate(pem: entry.pem) else { return }
        writer.beginObject()
        writer.member("alias", entry.alias)
        writer.member("subject", certificate.subject)
        writer.member("notBefore", certificate.notBefore)
        writer.member("notAfter", certificate.notAfter)
        writer.member("valid", certificate.isValid(at: Clock.wallSeconds))
        writer.member("fingerprint", certificate.fingerprint)
        writer.endObject()
    }
}
