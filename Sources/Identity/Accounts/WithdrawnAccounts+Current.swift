import Bytes
import Model

extension WithdrawnAccounts {
    /// The user without withdrawn credentials and roles.
    package func current(_ user: User) -> User {
        guard concerns(user.username) else { return user }
        var user = user
        let (realm, name) = (user.realm, user.username)
        if contains(.user(realm: realm, name: name)) { user.enabled = false }
        if let stored = user.passwordHash, contains(.password(realm: realm, name: name, stored: stored)) {
            user.passwordHash = nil
        }
        if has(.role) { user.roles.removeAll { contains(.role(realm: realm, name: name, role: $0)) } }
        return user
    }

    /// Roles of a token without those that were taken from its user after its issue.
    /// - Parameter issuedAt: seconds since 1970.
    package func current(_ roles: [String], of user: User, issuedAt: Int64) -> [String] {
        guard has(.role), concerns(user.username) else { return roles }
        return roles.filter {
            !contains(.role(realm: user.realm, name: user.username, role: $0), changedSince: issuedAt)
        }
    }

    /// The client without withdrawn credentials and rights.
    func current(_ client: Client) -> Client {
        let id = client.id
        guard concerns(id) else { return client }
        var client = client
        if let secret = client.clientSecret?.value, contains(.clientSecret(backendID: id, secret: secret)) {
            client.clientSecret = nil
        }
        for right in ClientRight.allCases where contains(.setting(backendID: id, name: right.rawValue)) {
            client.remove(right)
        }
        client.grants.roles.removeAll { contains(.setting(backendID: id, name: "role", value: $0)) }
        client.grants.scopes?.removeAll { contains(.setting(backendID: id, name: "scope", value: $0)) }
        if contains(.setting(backendID: id, name: "anonymousKey", value: client.anonymousKey)) {
            client.anonymousKey = ""
        }
        // With another realm, the users who may log in are not known here.
        if contains(.setting(backendID: id, name: "realm", value: client.realm)) || contains(.client(id: id)) {
            client.revoke()
        }
        return client
    }
}

/// A right of a client that administration turns off, by the name of its setting.
package enum ClientRight: String, Sendable, CaseIterable {
    case httpBasic, oauthConsumer, enableSso, introspection, tokenExchange, refreshTokens, deviceGrant
    case clientCredentials, password, assertion
    case authorization = "redirectUris"
}

extension Client {
    package func has(_ right: ClientRight) -> Bool {
        switch right {
        case .httpBasic: httpBasic
        case .oauthConsumer: oauthConsumer
        case .enableSso: enableSSO
        case .introspection: grants.introspection
        case .tokenExchange: grants.exchange != nil
        case .refreshTokens: grants.refresh != nil
        case .authorization: grants.authorization != nil
        case .deviceGrant: grants.allowsDevices
        case .clientCredentials: !grants.withheld.contains(.clientCredentials)
        case .password: !grants.withheld.contains(.password)
        case .assertion: !grants.withheld.contains(.jwtBearer)
        }
    }

    fileprivate mutating func remove(_ right: ClientRight) {
        switch right {
        case .httpBasic: httpBasic = false
        case .oauthConsumer: oauthConsumer = false
        case .enableSso: enableSSO = false
        case .introspection: grants.introspection = false
        case .tokenExchange: grants.exchange = nil
        case .refreshTokens: grants.refresh = nil
        case .authorization: grants.authorization = nil
        case .deviceGrant: grants.allowsDevices = false
        case .clientCredentials: grants.withheld.insert(.clientCredentials)
        case .password: grants.withheld.insert(.password)
        case .assertion: grants.withheld.insert(.jwtBearer)
        }
    }
}

/// What the sponsor of registered clients gives them, by the name of the setting.
package enum RegistrationRight: String, Sendable {
    case registration
    case open = "registration.open"
    case token = "registration.initialAccessTokens"
    case document = "clientMetadataDocuments.allowedDomains"

    /// The value of the setting of an initial access token.
    /// - Parameter digest: its SHA-256 digest.
    package static func value(ofDigest digest: [UInt8]) -> String {
        String(decoding: Base64.encode(digest.span, .url), as: UTF8.self)
    }

    /// The value of the setting of an allowed domain.
    package static func value(of host: HostPattern?) -> String { host?.description ?? "*" }
}
