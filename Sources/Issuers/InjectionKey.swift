import Identity

/// A place that tokens are injected at: a webgate, or a route without one, and the issuer that serves it. Made once when
/// the configuration is loaded.
package final class InjectionTarget: Sendable {
    /// Name of the webgate; empty for a route without one.
    package let webgate: String
    package let issuer: any TokenIssuer
    /// `webgate` in UTF-8.
    package let webgateBytes: [UInt8]
    /// The issuer's `configurationID` in UTF-8.
    package let configurationBytes: [UInt8]

    package init(webgate: String, issuer: any TokenIssuer) {
        self.webgate = webgate
        self.issuer = issuer
        webgateBytes = Array(webgate.utf8)
        configurationBytes = Array(issuer.configurationID.utf8)
    }

    fileprivate func isSamePlace(as other: InjectionTarget) -> Bool {
        self === other || (webgateBytes == other.webgateBytes && configurationBytes == other.configurationBytes)
    }
}

/// What an issued token belongs to (CACHE-03). Making, hashing and comparing one allocates nothing.
///
/// Two keys are equal when every fact that a token may be made from is equal: who the caller is (kind, subject and the
/// issuer that vouches for the name), the backend, roles and level of the session, the webgate and the settings of the
/// upstream's issuer. Fields are compared one by one, so no two lists of fields can run together into the same key.
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
        return a === b
            || (a.kind == b.kind && a.level == b.level && a.virtual == b.virtual && a.subjectBytes == b.subjectBytes
                && a.backendBytes == b.backendBytes && a.issuer.utf8.elementsEqual(b.issuer.utf8)
                && a.roleNames.elementsEqual(b.roleNames) { $0.utf8.elementsEqual($1.utf8) })
    }

    /// The standard library's hash is seeded per process: clients can't choose subjects that collide.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(principal.kind)
        hasher.combine(principal.level)
        hasher.combine(principal.subjectBytes)
        hasher.combine(principal.backendBytes)
        hasher.combine(target.webgateBytes)
        hasher.combine(target.configurationBytes)
    }
}
