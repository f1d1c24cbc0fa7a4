import Bytes
import Crypto
import JOSE
import Model
import Outbound

/// Signed requests of one account to an authority (RFC 8555 section 6), within the time of one attempt.
struct ACMESession {
    /// An answer of the authority.
    struct Answer {
        let response: OutboundResponse
        /// Nil for a body that is not JSON.
        let body: JSONNode?
        /// What the authority asks to wait, in seconds; nil for none.
        let retryAfter: Int64?

        /// Of an account, an order or an authorization; empty for none.
        var status: String { text("status") ?? "" }

        /// A text among the members; nil for none.
        func text(_ name: String) -> String? { body?[name]?.string }

        /// The URL in the field `Location`; fails without one.
        func location() throws(ACMEFailure) -> WebURL {
            guard let text = response.value(of: "Location") else {
                throw ACMEFailure("the authority answers without \"Location\"")
            }
            return try ACMESession.url(text, "Location")
        }
    }

    /// URLs of an authority (RFC 8555 section 7.1.1).
    struct Directory {
        let newNonce: WebURL
        let newAccount: WebURL
        let newOrder: WebURL
        /// Whether it accepts accounts of its customers alone.
        let needsExternalAccount: Bool
        /// Whether it knows certificates by their ids (RFC 9773).
        let suggestsRenewals: Bool
    }

    let surroundings: ACMESurroundings
    let directory: Directory
    private let key: SigningKey
    /// The public key as JSON.
    private let publicKey: JSONNode
    /// Known once the account is.
    private var accountURL: WebURL?
    /// That the next request uses (RFC 8555 section 6.5).
    private var nonce: String?
    private let deadline: Int64

    /// The longest attempt.
    static let longestMilliseconds: Int64 = 150_000
    /// How often a request is sent whose nonce is refused.
    private static let nonceAttempts = 8

    /// Reads the directory.
    init(_ settings: ACMESettings, key: SigningKey, _ surroundings: ACMESurroundings) throws(ACMEFailure) {
        self.surroundings = surroundings
        self.key = key
        guard let members = JSONWebKey(key, kid: nil).requiredMembers, let node = try? JSONNode.parse(members.span)
        else { throw ACMEFailure("the key of the account is not one with a public part") }
        publicKey = node
        deadline = surroundings.monotonicMilliseconds() + ACMESession.longestMilliseconds
        let answer = try surroundings.read(settings.directory)
        directory = Directory(
            newNonce: try ACMESession.url(answer.text("newNonce"), "newNonce"),
            newAccount: try ACMESession.url(answer.text("newAccount"), "newAccount"),
            newOrder: try ACMESession.url(answer.text("newOrder"), "newOrder"),
            needsExternalAccount: answer.body?["meta"]?["externalAccountRequired"]?.bool ?? false,
            suggestsRenewals: answer.text("renewalInfo") != nil)
        let profiles = (answer.body?["meta"]?["profiles"]?.members ?? []).map(\.name)
        if let profile = settings.profile, !profiles.contains(where: profile.isExactly) {
            throw ACMEFailure(
                "the authority has no profile \"\(profile)\""
                    + (profiles.isEmpty ? "" : ", but \(profiles.joined(separator: ", "))"))
        }
    }

    /// A URL that the authority has given; fails for one without TLS.
    static func url(_ text: String?, _ name: String) throws(ACMEFailure) -> WebURL {
        let text = text ?? ""
        do throws(WebURL.Problem) {
            let url = try WebURL(text)
            guard url.isSecure else { throw WebURL.Problem.scheme }
            return url
        } catch {
            throw ACMEFailure("the authority gives \"\(text.prefix(200))\" as \(name), which is not an https URL")
        }
    }

    // MARK: Accounts

    /// Makes the account of the key, or finds it (RFC 8555 section 7.3).
    mutating func openAccount(_ settings: ACMESettings) throws(ACMEFailure) {
        var payload: [(name: String, value: JSONNode)] = [("termsOfServiceAgreed", .flag(true))]
        if !settings.contacts.isEmpty { payload.append(("contact", .texts(settings.contacts))) }
        if let external = settings.externalAccount {
            payload.append(("externalAccountBinding", binding(to: external)))
        } else if directory.needsExternalAccount {
            throw ACMEFailure("the authority needs \"externalAccount\": it has accounts of its customers only")
        }
        let answer = try post(directory.newAccount, .object(payload))
        guard answer.status == "valid" else {
            throw ACMEFailure("the account has the status \"\(answer.status)\"")
        }
        accountURL = try answer.location()
    }

    /// Says that the key is that of an account of the authority's customers (RFC 8555 section 7.3.4).
    private func binding(to external: ACMESettings.ExternalAccount) -> JSONNode {
        ACMESession.signed(
            publicKey.serialized,
            as: [("alg", .text("HS256")), ("kid", .text(external.keyID)), ("url", .text("\(directory.newAccount)"))]
        ) { DigestAlgorithm.sha256.hmac(key: external.key.span, $0) }
    }

    // MARK: Orders

    /// Places an order (RFC 8555 section 7.4).
    /// - Parameter replaced: the certificate that the new one replaces, which exempts the order from limits of the authority
    ///   (RFC 9773 section 5); nil for none.
    mutating func order(
        _ members: [(name: String, value: JSONNode)], replacing replaced: ObtainedCertificate?
    ) throws(ACMEFailure) -> Answer {
        if directory.suggestsRenewals, let id = replaced?.tls.renewalID {
            do throws(ACMEFailure) {
                return try post(directory.newOrder, .object(members + [("replaces", .text(id))]))
            } catch  where error.isAlreadyReplaced {
                // By an order whose certificate was lost.
            }
        }
        return try post(directory.newOrder, .object(members))
    }

    // MARK: Requests

    /// Sends a signed request.
    /// - Parameter payload: nil to read (RFC 8555 section 6.3).
    mutating func post(
        _ url: WebURL, _ payload: JSONNode? = nil, accept: String = "application/json"
    ) throws(ACMEFailure) -> Answer {
        var attempt = 0
        while true {
            attempt += 1
            guard surroundings.monotonicMilliseconds() < deadline else {
                throw ACMEFailure("the authority is too slow")
            }
            let text = try request(url, payload).serialized
            let answer = try surroundings.exchange(
                "POST", url, headers: [("Content-Type", "application/jose+json"), ("Accept", accept)], body: text)
            nonce = answer.response.value(of: "Replay-Nonce")
            if (200...299).contains(answer.response.status) { return answer }
            let isStale = answer.text("type") == "\(ACMEFailure.prefix)badNonce"
            guard isStale, attempt < ACMESession.nonceAttempts else {
                throw ACMEFailure.refusal(
                    answer.body, status: answer.response.status, retryAfter: answer.retryAfter)
            }
        }
    }

    private mutating func request(_ url: WebURL, _ payload: JSONNode?) throws(ACMEFailure) -> JSONNode {
        let signer: (name: String, value: JSONNode) =
            if let accountURL { ("kid", .text("\(accountURL)")) } else { ("jwk", publicKey) }
        let header: [(name: String, value: JSONNode)] = [
            ("alg", .text(key.algorithm.rawValue)), ("nonce", .text(try takeNonce())), ("url", .text("\(url)")), signer,
        ]
        return ACMESession.signed(payload?.serialized ?? [], as: header) { key.sign($0) }
    }

    private mutating func takeNonce() throws(ACMEFailure) -> String {
        defer { nonce = nil }
        if nonce == nil {
            let answer = try surroundings.exchange("HEAD", directory.newNonce)
            nonce = answer.response.value(of: "Replay-Nonce")
        }
        // RFC 8555 section 6.5.1.
        guard let nonce, !nonce.isEmpty, Base64.decode(Array(nonce.utf8).span, .url) != nil else {
            throw ACMEFailure("the authority gives no nonce")
        }
        return nonce
    }

    /// A text with its signature, in flattened JSON (RFC 7515 section 7.2.2).
    private static func signed(
        _ payload: [UInt8], as header: [(name: String, value: JSONNode)], by sign: (Span<UInt8>) -> [UInt8]
    ) -> JSONNode {
        let protected = Base64.encode(JSONNode.object(header).serialized.span, .url)
        let payload = Base64.encode(payload.span, .url)
        let signature = sign((protected + [ASCII.dot] + payload).span)
        let members = [
            ("protected", protected), ("payload", payload), ("signature", Base64.encode(signature.span, .url)),
        ]
        return .object(members.map { ($0, .text(String(decoding: $1, as: UTF8.self))) })
    }

    // MARK: Waiting

    /// Asks until the answer is final.
    /// - Parameter isFinal: of a status.
    mutating func poll(
        _ url: WebURL, _ what: String, until isFinal: (String) -> Bool
    ) throws(ACMEFailure) -> Answer {
        var wait: Int64 = 500
        while true {
            let answer = try post(url)
            if isFinal(answer.status) { return answer }
            let asked = answer.retryAfter.map { min($0, 30) * 1000 } ?? 0
            let end = surroundings.monotonicMilliseconds() + max(wait, asked)
            guard end < deadline else {
                throw ACMEFailure("\(what) still has the status \"\(answer.status)\"")
            }
            guard surroundings.pause(max(wait, asked)) else { throw .ending }
            wait = min(wait * 2, 5000)
        }
    }
}

extension ACMESurroundings {
    /// Reads a JSON document; fails for another answer.
    func read(_ url: WebURL) throws(ACMEFailure) -> ACMESession.Answer {
        let answer = try exchange("GET", url)
        guard answer.response.status == 200, answer.body?.members != nil else {
            let refusal = ACMEFailure.refusal(
                answer.body, status: answer.response.status, retryAfter: answer.retryAfter)
            throw ACMEFailure("\(url): \(refusal.detail)", retryAfter: refusal.retryAfter)
        }
        return answer
    }

    /// The longest answer, in bytes.
    private static let longestAnswer = 262_144
    /// The longest time that an authority can ask to wait, in seconds: a day.
    private static let longestRetryAfter: Int64 = 86_400

    /// Makes a call; fails without an answer.
    fileprivate func exchange(
        _ method: String, _ url: WebURL, headers: [(name: String, value: String)] = [], body: [UInt8] = []
    ) throws(ACMEFailure) -> ACMESession.Answer {
        let request = transport.call(
            method, url, headers: headers, body: body, maximumBytes: ACMESurroundings.longestAnswer)
        switch call(request) {
        case .response(let response):
            return ACMESession.Answer(
                response: response, body: try? JSONNode.parse(response.body.span),
                // A date is not read: none of the authorities sends one (RFC 9110 section 10.2.3).
                retryAfter: response.value(of: "Retry-After").flatMap { Int64($0) }.map {
                    max(0, min($0, ACMESurroundings.longestRetryAfter))
                })
        case .failed(let failure, let details):
            let reason = details?.reason ?? failure.rawValue
            throw ACMEFailure("the authority at \(url.origin) does not answer: \(reason)")
        }
    }
}
