import Bytes
import Crypto
import HTTP
import Identity
import Model

/// Writes `WWW-Authenticate` values and opens the contexts in them. Stateless: all instances with the same keys accept
/// each other's contexts (CHAL-03).
package final class ChallengeIssuer: RequestContextReader {
    /// Maximum length of a target that a challenge includes with its query (CHAL-02).
    private static let maximumTarget = 2_048
    private static let plain = ChallengeText(webgate: nil, level: 0)
    private static let purpose = Array("portcullis request-ctx 1".utf8)

    private let keys: AEADKeyRing
    private let lifetimeSeconds: Int64
    /// What answers the challenge to prove the possession of a key.
    package let possession: PossessionRules

    /// - Parameters:
    ///   - keys: the first one seals, all of them open (DEC-12).
    ///   - lifetimeSeconds: validity of a context.
    package init(keys: AEADKeyRing, lifetimeSeconds: Int64 = 300, possession: PossessionRules = PossessionRules()) {
        self.possession = possession
        self.keys = keys
        self.lifetimeSeconds = lifetimeSeconds
    }

    /// A nonce for the client's next proof of possession; nil where none is asked for.
    package func nonce(now: Int64) -> String? { possession.nonce(now: now) }

    /// Appends the value of the `WWW-Authenticate` field of a 401: `OAM-Auth` on routes of a Webgate for the clients
    /// that it recognises (CHAL-01, CHAL-04), otherwise `Bearer`. If the route's scheme is Basic, `Basic` replaces
    /// `Bearer` for clients that the Webgate does not recognise (SCH-01), and challenges of the scheme replace both.
    ///
    /// - Parameters:
    ///   - route: nil for endpoints.
    ///   - reason: a 401; a `Bearer` challenge includes an error only if a token was sent (RFC 6750 section 3).
    ///   - bytes: the buffer of `head` and `headers`.
    ///   - requestID: as in the log.
    ///   - now: seconds since 1970.
    package func append(
        to chunk: Chunk, route: Route?, reason: Reason, bytes: Span<UInt8>, head: RequestHead,
        headers: HeaderTable, requestID: Span<UInt8>, now: Int64
    ) {
        if isForProofs(route, reason, bytes, headers) {
            appendBearer(to: chunk, route: route, reason: reason, bytes: bytes, head: head, headers: headers)
            return
        }
        if let route, let webgate = route.webgate {
            let agent = headers.value(.userAgent) ?? .empty
            let takesEveryone = webgate.userAgents.isEmpty && (route.takesPasswords || route.challenge.own != nil)
            if webgate.mismatch == .oamAuth || !takesEveryone && webgate.recognises(bytes.slice(agent)) {
                // The slash that stands for the missing path of `http://host?query` is not in front of the query.
                let query = route.tokenSources?.parameters.isEmpty == false ? nil : head.query
                let end = query.flatMap { Int($0.start) == head.path.end + 1 ? $0.end : nil } ?? head.path.end
                let target = bytes.extracting(Int(head.path.start)..<end)
                appendOAMAuth(to: chunk, route.challenge, bytes.slice(head.methodText), target, now: now)
                return
            }
        }
        // What login is needed can be said with `Bearer` alone (RFC 9470 section 3).
        if let own = route?.challenge.own, reason.neededLogin == nil {
            own.append(to: chunk, reason: reason, requestID: requestID)
            return
        }
        if let route, let chain = route.authenticators {
            return append(to: chunk, chain, route, reason, bytes: bytes, head: head, headers: headers)
        }
        // A password never says how or when its holder logged in.
        if let route, route.takesPasswords, reason.neededLogin == nil {
            return appendBasic(to: chunk, route)
        }
        appendBearer(to: chunk, route: route, reason: reason, bytes: bytes, head: head, headers: headers)
    }

    /// Appends a challenge for each scheme of a route's authenticators, in fields of their own.
    private func append(
        to chunk: Chunk, _ chain: AuthenticatorChain, _ route: Route, _ reason: Reason, bytes: Span<UInt8>,
        head: RequestHead, headers: HeaderTable
    ) {
        for (place, scheme) in chain.schemes(for: reason).enumerated() {
            if place > 0 {
                chunk.ensureFree(32)
                chunk.append("\r\nWWW-Authenticate: ")
            }
            switch scheme {
            case .bearer:
                appendBearer(to: chunk, route: route, reason: reason, bytes: bytes, head: head, headers: headers)
            case .basic: appendBasic(to: chunk, route)
            case .named(let name):
                chunk.ensureFree(name.count + route.challenge.realm.count)
                chunk.append(name)
                chunk.append(route.challenge.realm)
            }
        }
    }

    private func appendBasic(to chunk: Chunk, _ route: Route) {
        let basic = route.challenge.basic
        chunk.ensureFree(basic.count)
        chunk.append(basic)
    }

    /// Whether the challenge is for tokens with proofs (RFC 9449 section 7.1): the request had one, or needs one.
    private func isForProofs(_ route: Route?, _ reason: Reason, _ bytes: Span<UInt8>, _ headers: HeaderTable) -> Bool {
        if reason.token.isOfProof || route?.requiresProof == true { return true }
        guard let field = headers.value(.authorization) else { return false }
        return Credential(bytes.slice(field)).scheme == .dpop
    }

    /// Appends a `Bearer` or `DPoP` challenge, which a 403 for scopes has, too (RFC 6750 section 3.1).
    ///
    /// - Parameters:
    ///   - bytes: the buffer of `head` and `headers`.
    ///   - scopes: in place of those of the route.
    package func appendBearer(
        to chunk: Chunk, route: Route?, reason: Reason, bytes: Span<UInt8>, head: RequestHead, headers: HeaderTable,
        scopes: [String]? = nil
    ) {
        (route?.challenge ?? ChallengeIssuer.plain).appendBearer(
            to: chunk, isForProofs: isForProofs(route, reason, bytes, headers), reason: reason,
            authority: bytes.slice(head.authority), scope: scopes.map(ChallengeText.scope))
    }

    /// - Parameter target: path and query as received.
    func appendOAMAuth(
        to chunk: Chunk, _ text: ChallengeText, _ method: Span<UInt8>, _ target: Span<UInt8>, now: Int64
    ) {
        let shown = ChallengeIssuer.shown(target)
        chunk.ensureFree(text.beforeTarget.count + text.beforeContext.count + 3 * shown.count)
        chunk.append(text.beforeTarget)
        let start = chunk.count
        ChallengeIssuer.appendEncoded(target.extracting(shown), to: chunk)
        let webgate = text.webgateName
        let plaintext = RequestContext.plaintext(
            webgate: webgate.span, level: text.level, method: method,
            target: chunk.readable.extracting(start...), expiresAt: now + lifetimeSeconds)
        let sealed = keys.seal(plaintext.span, authenticating: ChallengeIssuer.purpose.span)
        let context = Base64.encode(sealed.span, .url)
        chunk.append(text.beforeContext)
        chunk.ensureFree(context.count + text.afterContext.count)
        chunk.append(context.span)
        chunk.append(text.afterContext)
    }

    /// The content of a `request-ctx`; nil if modified, expired or foreign.
    package func open(_ context: Span<UInt8>, now: Int64) -> RequestContext? {
        guard let ranges = RequestContext.sealedRange(in: context),
            let sealed = Base64.decode(context.extracting(ranges.sealed), .url),
            let plaintext = keys.open(sealed.span, authenticating: ChallengeIssuer.purpose.span),
            let opened = RequestContext(plaintext: plaintext.span),
            bytesEqual(Array(opened.webgate.utf8).span, context.extracting(ranges.webgate)),
            now < opened.expiresAt
        else { return nil }
        return opened
    }

    /// The part of a target that the challenge includes: all of it, or only the path if it is too long (CHAL-02).
    private static func shown(_ target: Span<UInt8>) -> Range<Int> {
        if target.count <= maximumTarget { return 0..<target.count }
        var end = 0
        while end < target.count, target[end] != UInt8(ascii: "?") { end += 1 }
        return 0..<end
    }

    /// Percent-encodes characters that are not allowed in a quoted string or URL (CHAL-02).
    private static func appendEncoded(_ target: Span<UInt8>, to chunk: Chunk) {
        for i in target.indices {
            let byte = target[i]
            if byte > ASCII.space, byte < 0x7f, byte != ASCII.quote, byte != ASCII.backslash {
                chunk.append(byte)
            } else {
                chunk.append(ASCII.percent)
                chunk.append(hexadecimal(byte >> 4))
                chunk.append(hexadecimal(byte & 15))
            }
        }
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt8 { digit < 10 ? 48 + digit : 55 + digit }
}
