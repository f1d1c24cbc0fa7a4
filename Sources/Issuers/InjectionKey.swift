import Bytes
import Crypto
import Identity
import TokenStorage

/// A place where tokens are injected: a webgate, or a route without one, together with its issuer. Created once per
/// configuration.
package final class InjectionTarget: Sendable {
    /// Name of the webgate; empty for a route without one.
    package let webgate: String
    package let issuer: any TokenIssuer
    /// Identity of the place, in UTF-8.
    fileprivate let placeBytes: [UInt8]
    /// The issuer's `configurationID` in UTF-8.
    package let configurationBytes: [UInt8]
    /// Whether it is for sessions of logins at providers alone; other callers need no token.
    package let isForLogins: Bool
    /// Of the issuer.
    package let dependsOnCredential: Bool
    package let dependsOnCaller: Bool
    fileprivate let hash: UInt64

    /// - Parameter place: distinguishes targets of the same issuer; nil to use the webgate's name.
    package init(webgate: String, place: String? = nil, issuer: any TokenIssuer, isForLogins: Bool = false) {
        self.isForLogins = isForLogins
        self.webgate = webgate
        self.issuer = issuer
        dependsOnCredential = issuer.dependsOnCredential
        dependsOnCaller = issuer.dependsOnCaller
        let placeBytes = Array((place ?? webgate).utf8)
        let configurationBytes = Array(issuer.configurationID.utf8)
        self.placeBytes = placeBytes
        self.configurationBytes = configurationBytes
        hash = InjectionKey.hash(placeBytes) &* 31 &+ InjectionKey.hash(configurationBytes)
    }

    /// Whether a token for one is valid for the other.
    package func isSamePlace(as other: InjectionTarget) -> Bool {
        self === other || (placeBytes == other.placeBytes && configurationBytes == other.configurationBytes)
    }
}

/// Cache key of an issued token (CACHE-03). Creating, hashing and comparing one allocates nothing.
///
/// It contains everything that a token may depend on: the caller (kind, subject and its issuer), client or
/// application, roles and level of the session, webgate and settings of the upstream's issuer, and the caller's token
/// if the issuer derives its tokens from it. If the issuer has one token for all, the caller is excluded. Fields are
/// compared individually, so different field lists cannot collide.
package struct InjectionKey: Hashable, Sendable {
    package let principal: Principal
    package let target: InjectionTarget

    package init(principal: Principal, target: InjectionTarget) {
        self.principal = principal
        self.target = target
    }

    package static func == (left: InjectionKey, right: InjectionKey) -> Bool {
        guard left.target.isSamePlace(as: right.target) else { return false }
        let a = left.principal
        let b = right.principal
        if a === b || !left.target.dependsOnCaller { return true }
        if left.target.dependsOnCredential, a.token != b.token { return false }
        return a.kind == b.kind && a.level == b.level && a.virtual == b.virtual && a.subjectBytes == b.subjectBytes
            && a.backendBytes == b.backendBytes && a.applicationBytes == b.applicationBytes
            && a.issuer.isExactly(b.issuer) && a.consumer?.subjectBytes == b.consumer?.subjectBytes
            && a.roleNames.elementsEqual(b.roleNames) { $0.isExactly($1) }
    }

    /// The key's name outside the process: a keyed digest of all its fields.
    /// - Returns: that under each key of the store, the one in use in front.
    func names(_ key: TokenDigestKey) -> [String] {
        var text: [UInt8] = []
        func add(_ field: [UInt8]) {
            text += "\(field.count) ".utf8
            text += field
        }
        add(target.placeBytes)
        add(target.configurationBytes)
        if target.dependsOnCaller {
            add(Array(principal.kind.rawValue.utf8))
            add(Array("\(principal.level) \(principal.virtual)".utf8))
            for field in [principal.subjectBytes, principal.backendBytes, principal.applicationBytes] { add(field) }
            add(Array(principal.issuer.utf8))
            for role in principal.roleNames { add(Array(role.utf8)) }
            if let consumer = principal.consumer {
                add(Array(consumer.issuer.utf8))
                add([])
                add(consumer.subjectBytes)
            }
            if target.dependsOnCredential {
                add([])
                add(principal.token)
            }
        }
        return key.keyedNames(of: text)
    }

    /// Seeded per process, so that clients cannot choose colliding subjects.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(target.hash)
        guard target.dependsOnCaller else { return }
        hasher.combine(InjectionKey.hash(principal.subjectBytes))
        hasher.combine(InjectionKey.hash(principal.backendBytes))
        hasher.combine(principal.kind)
        hasher.combine(principal.level)
        // One caller may have many tokens.
        if target.dependsOnCredential { hasher.combine(InjectionKey.hash(principal.token)) }
    }

    private static let keyedHash = KeyedHash(seed0: SecureRandom.uint64(), seed1: SecureRandom.uint64())

    fileprivate static func hash(_ bytes: [UInt8]) -> UInt64 { keyedHash.hash(bytes.span) }
}
