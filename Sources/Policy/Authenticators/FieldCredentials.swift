import Bytes
import HTTP
import Identity
import Model

/// The credentials in the fields, query or cookies of a request, other than that of a session: an API key, and one of
/// another kind.
struct FieldCredentials {
    /// A credential that is no API key.
    enum Other {
        case none
        /// - Parameter hasProof: whether it came under the scheme of tokens with proofs (RFC 9449 section 7.1).
        case token(ByteRange, TokenSources.AcceptedIssuers, hasProof: Bool = false)
        case password(ByteRange)
        /// One of a listed kind that has a scheme of its own.
        case own(Authenticator.Kind, ByteRange)
        /// A scheme without the credential.
        case malformed(CredentialPlace, Reason)
        case unsupported
    }

    /// The API key of a consumer.
    enum Key {
        case token(ByteRange, TokenSources.AcceptedIssuers)
        case basic(ByteRange)
    }

    private(set) var other = Other.none
    private(set) var key: Key?

    /// Whether there is a key and another credential.
    var isPair: Bool {
        if case .none = other { false } else { key != nil }
    }

    /// - Throws: a reason where there are several of a kind.
    init(
        on route: Route, _ bytes: Span<UInt8>, _ head: RequestHead, _ headers: HeaderTable, _ keys: ConsumerKeys
    ) throws(Reason) {
        // ISS-08
        guard headers.occurrences(.authorization) <= 1 else { throw .duplicateCredential }
        var field = headers.value(.authorization)
        /// Whether a place is within the field that is looked at next.
        func take(_ place: ByteRange) {
            if let value = field, value.range.contains(Int(place.start)) { field = nil }
        }
        if let sources = route.tokenSources {
            field = field.flatMap { sources.isCredential($0, bytes) ? $0 : nil }
            switch sources.find(bytes, head, headers) {
            case .several: throw .duplicateCredential
            case .pair(let key, let token):
                try add(place: key.0, key.1, bytes, headers)
                try add(place: token.0, token.1, bytes, headers)
                take(key.0)
                take(token.0)
            case .token(let place, let issuers):
                try add(place: place, issuers, bytes, headers)
                take(place)
            case .nothing:
                if field == nil, let (place, issuers) = sources.cookie(bytes, headers) {
                    try add(token: place, issuers, bytes)
                }
            }
        }
        if let field { try add(authorization: field, on: route, bytes, keys) }
    }

    private mutating func add(_ credential: Other) throws(Reason) {
        guard case .none = other else { throw .duplicateCredential }
        other = credential
    }

    private mutating func add(_ credential: Key) throws(Reason) {
        guard key == nil else { throw .duplicateCredential }
        key = credential
    }

    private mutating func add(
        token place: ByteRange, _ issuers: TokenSources.AcceptedIssuers, _ bytes: Span<UInt8>
    ) throws(Reason) {
        if issuers.takesKey(bytes.slice(place)) {
            try add(Key.token(place, issuers))
        } else {
            try add(Other.token(place, issuers))
        }
    }

    /// Adds what stands at a place of tokens.
    private mutating func add(
        place: ByteRange, _ issuers: TokenSources.AcceptedIssuers, _ bytes: Span<UInt8>, _ headers: HeaderTable
    ) throws(Reason) {
        if case .own(let kind) = issuers {
            try add(Other.own(kind, place))
        } else if TokenSources.isForProof(place, headers, bytes) {
            try add(Other.token(place, issuers, hasProof: true))
        } else {
            try add(token: place, issuers, bytes)
        }
    }

    private mutating func add(
        authorization field: ByteRange, on route: Route, _ bytes: Span<UInt8>, _ keys: ConsumerKeys
    ) throws(Reason) {
        let credential = Credential(bytes.slice(field))
        let place = ByteRange(
            start: Int(field.start) + Int(credential.rest.start), count: Int(credential.rest.count))
        let issuers = route.tokenSources?.authorization ?? .all
        switch credential.scheme {
        case .token, .dpop:
            if place.isEmpty {
                try add(Other.malformed(.token, .malformedToken))
            } else if credential.scheme == .dpop {
                try add(Other.token(place, issuers, hasProof: true))
            } else {
                try add(token: place, issuers, bytes)
            }
        case .basic:
            if place.isEmpty {
                try add(Other.malformed(.password, .malformedCredential))
            } else if keys.key(inBasic: bytes.slice(place)) != nil {
                try add(Key.basic(place))
            } else {
                try add(Other.password(place))
            }
        case .other:
            let kind = route.authenticators?.kind(ofScheme: bytes.slice(field).slice(credential.name))
            try add(kind.map { .own($0, place) } ?? Other.unsupported)
        }
    }
}
