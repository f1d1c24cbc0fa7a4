import Bytes
import Configuration
import Crypto
import Gateway
import HTTP
import Reactor

/// The certificate store (JWT-20, SAML-08).
struct CertificateAdministration: ResourceAdministration {
    let administration: Administration

    static let operations = [
        operation(.get, "certificates", "certificates.list", Self.list),
        operation(.post, "certificates", "certificates.add", Self.add),
        operation(.delete, "certificates/*", "certificates.remove", Self.remove),
    ]

    func list(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        try administration.shown("certificates") { reading, _ in
            JSONNode(.array(reading.configuration.certificates.compactMap(Self.node))).serialized
        }
    }

    func add(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let body = try AdminBody(request, known: ["alias", "pem"])
        let (alias, pem) = (try body.required("alias"), try body.required("pem"))
        do throws(CertificateProblem) {
            _ = try SignerCertificate(pem: Array(pem.utf8))
        } catch {
            throw .unusable([error.description])
        }
        let now = try administration.change("certificates", request) { (text, before) throws(AdminFailure) in
            if before.certificates.contains(where: { $0.alias.isExactly(alias) }) {
                throw .conflict("there is a certificate \"\(alias)\" already")
            }
            text.append([.object([("alias", .text(alias)), ("pem", .text(pem))])])
        }
        let added = now.configuration.certificates.first { $0.alias.isExactly(alias) }
        return .changed(alias, status: 201, added.flatMap(Self.node)?.serialized ?? [])
    }

    func remove(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let alias = request.path[1]
        try administration.change("certificates", request) { (text, before) throws(AdminFailure) in
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
