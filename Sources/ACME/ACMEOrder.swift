import Bytes
import Crypto
import Model
import Outbound

/// An order for a certificate (RFC 8555 section 7.4), whose names are proved by http-01 (section 8.3).
package enum ACMEOrder {
    /// Seconds that a certificate must have left to be of use.
    private static let leastLifetime: Int64 = 3600
    /// The most certificates of a chain.
    private static let longestChain = 10

    /// Gets a certificate. Takes seconds, and at most some minutes.
    ///
    /// - Parameters:
    ///   - names: DNS names in lower case, at least one.
    ///   - replaced: the certificate of this authority that the new one replaces; nil for none.
    ///   - key: of the account, whose key authorizations the gateway serves (`ACMEChallenge`).
    package static func certificate(
        for names: [String], _ settings: ACMESettings, replacing replaced: ObtainedCertificate? = nil,
        account key: SigningKey,
        by surroundings: ACMESurroundings
    ) throws(ACMEFailure) -> ObtainedCertificate {
        var session = try ACMESession(settings, key: key, surroundings)
        try session.openAccount(settings)
        let identifiers = names.map { JSONNode.object([("type", .text("dns")), ("value", .text($0))]) }
        var request: [(name: String, value: JSONNode)] = [("identifiers", JSONNode(.array(identifiers)))]
        if let profile = settings.profile { request.append(("profile", .text(profile))) }
        let created = try session.order(request, replacing: replaced)
        let order = try created.location()
        try prove(names, of: created, in: &session)
        let ready = try session.poll(order, "the order") { !["pending", "processing"].contains($0) }
        guard ready.status == "ready" else { throw failure(of: ready, "the order") }

        let certificateKey: String
        let requestText: [UInt8]
        do throws(KeyError) {
            certificateKey = try SigningKey(generating: .es256).pem
            requestText = try CertificateRequest.encoded(for: names, keyPEM: certificateKey)
        } catch {
            throw ACMEFailure("libcrypto makes no request for a certificate: \(error.reason)")
        }
        let text = String(decoding: Base64.encode(requestText.span, .url), as: UTF8.self)
        let finalize = try ACMESession.url(ready.text("finalize"), "finalize")
        _ = try session.post(finalize, .object([("csr", .text(text))]))
        let done = try session.poll(order, "the order") { !["pending", "ready", "processing"].contains($0) }
        guard done.status == "valid" else { throw failure(of: done, "the order") }
        let place = try ACMESession.url(done.text("certificate"), "certificate")
        let answer = try session.post(place, accept: "application/pem-certificate-chain")
        let obtained = ObtainedCertificate(
            chain: String(decoding: answer.response.body, as: UTF8.self), key: certificateKey)
        try check(obtained, names, now: surroundings.wallSeconds())
        return obtained
    }

    // MARK: Authorizations

    /// Has the authority look for the key authorizations of all names that it does not trust yet.
    private static func prove(
        _ names: [String], of order: ACMESession.Answer, in session: inout ACMESession
    ) throws(ACMEFailure) {
        let places = (order.body?["authorizations"]?.array ?? []).compactMap(\.string)
        guard !places.isEmpty, places.count <= names.count else {
            throw ACMEFailure("the order has \(places.count) authorizations for \(names.count) names")
        }
        for place in places {
            let url = try ACMESession.url(place, "authorization")
            let authorization = try session.post(url)
            let name = authorization.body?["identifier"]?["value"]?.string ?? ""
            guard names.contains(where: name.isExactly) else {
                throw ACMEFailure("the authority asks to prove \"\(name)\", which was not ordered")
            }
            if authorization.status == "valid" { continue }
            guard authorization.status == "pending" else { throw failure(of: authorization, name) }
            _ = try session.post(try challenge(of: authorization, name), .object([]))
            let result = try session.poll(url, "the authorization for \(name)") { $0 != "pending" }
            guard result.status == "valid" else { throw failure(of: result, name) }
        }
    }

    /// The URL of the challenge http-01.
    private static func challenge(
        of authorization: ACMESession.Answer, _ name: String
    ) throws(ACMEFailure) -> WebURL {
        let challenges = authorization.body?["challenges"]?.array ?? []
        guard let challenge = challenges.first(where: { $0["type"]?.string == "http-01" }) else {
            throw ACMEFailure("the authority has no challenge http-01 for \(name)")
        }
        guard ACMEChallenge.isToken(challenge["token"]?.string ?? "") else {
            throw ACMEFailure("the authority gives no token of at least 128 bits in base64url for \(name)")
        }
        return try ACMESession.url(challenge["url"]?.string, "challenge")
    }

    /// What an order, or an authorization by its challenges, says of its failure.
    private static func failure(of answer: ACMESession.Answer, _ what: String) -> ACMEFailure {
        let problems = [answer.body?["error"]] + (answer.body?["challenges"]?.array ?? []).map { $0["error"] }
        let texts = problems.compactMap { $0.flatMap(ACMEFailure.text) }
        let reason = texts.isEmpty ? "" : ": \(texts.joined(separator: "; "))"
        return ACMEFailure("\(what) has the status \"\(answer.status)\"\(reason)")
    }

    // MARK: The certificate

    /// Fails for a certificate of another key, for other names, that no listener can present, or that is not valid now.
    private static func check(
        _ obtained: ObtainedCertificate, _ names: [String], now: Int64
    ) throws(ACMEFailure) {
        let summary: CertificateSummary
        do throws(CertificateProblem) {
            summary = try obtained.tls.inspect()
        } catch {
            throw ACMEFailure("the authority gives a certificate that is not accepted: \(error)")
        }
        if let name = names.first(where: { !summary.covers($0) }) {
            throw ACMEFailure("the authority gives a certificate that is not for \(name)")
        }
        // It would be presented in place of another certificate of the gateway.
        if let name = (summary.names + summary.addresses).first(where: { !names.contains($0) }) {
            throw ACMEFailure("the authority gives a certificate for \(name), which was not ordered")
        }
        guard !summary.isPremature(at: now), summary.notAfter - now >= leastLifetime else {
            throw ACMEFailure("the authority gives a certificate that is not valid now, or for less than an hour")
        }
        guard obtained.chain.ranges(of: "-----BEGIN CERTIFICATE-----").count <= longestChain, obtained.summary != nil
        else {
            throw ACMEFailure("the authority gives a chain that is too long, or has a weak key or signature")
        }
    }
}
