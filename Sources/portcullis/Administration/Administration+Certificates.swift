import Bytes
import Configuration
import Crypto
import Gateway
import Reactor

/// The certificate store (JWT-20, SAML-08).
extension Administration {
    func listCertificates(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        try shown("certificates") { reading, _ in
            JSONNode(.array(reading.configuration.certificates.compactMap(Administration.node))).serialized
        }
    }

    func addCertificate(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let body = try AdminBody(request, known: ["alias", "pem"])
        let (alias, pem) = (try body.required("alias"), try body.required("pem"))
        do throws(CertificateProblem) {
            _ = try SignerCertificate(pem: Array(pem.utf8))
        } catch {
            throw .unusable([error.description])
        }
        let now = try change("certificates", request) { (text, before) throws(AdminFailure) in
            if before.certificates.contains(where: { isSame($0.alias, alias) }) {
                throw .conflict("there is a certificate \"\(alias)\" already")
            }
            text.append([.object([("alias", .text(alias)), ("pem", .text(pem))])])
        }
        let added = now.configuration.certificates.first { isSame($0.alias, alias) }
        return .changed(alias, status: 201, added.flatMap(Administration.node)?.serialized ?? [])
    }

    func removeCertificate(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let alias = request.path[1]
        try change("certificates", request) { (text, before) throws(AdminFailure) in
            let index = try Administration.index(of: alias, in: before.certificates.map(\.alias), "certificate")
            text.remove([.element(index)])
        }
        return .changed(alias)
    }

    private static func node(_ entry: StoredCertificateEntry) -> JSONNode? {
        guard let certificate = try? SignerCertificate(pem: entry.pem) else { return nil }
        return .object([
            ("alias", .text(entry.alias)), ("subject", .text(certificate.subject)),
            ("notBefore", .number(certificate.notBefore)), ("notAfter", .number(certificate.notAfter)),
            ("valid", .flag(certificate.isValid(at: Clock.wallSeconds))),
            ("fingerprint", .text(certificate.fingerprint)),
        ])
    }
}
