import ClientStore
import HTTP
import Model

extension ClientProfile {
    /// Reads the settings of a server from a configuration URL (AGT-05):
    /// `scheme://host?oamconfig=true&host=H&port=P&servicedomain=D&SSL=TRUE|FALSE[&appname=A]`.
    ///
    /// The query must begin with `oamconfig=true&`.
    /// - Parameter previous: the current profile. What it says of its server is kept for the same server only, since a
    ///   link must not redirect secrets to another one; its other settings stay.
    public init(configuring url: String, previous: ClientProfile? = nil) throws(ClientError) {
        let prefix = "oamconfig=true&"
        guard let mark = url.firstRange(of: "?"), url[mark.upperBound...].hasPrefix(prefix) else {
            throw ClientError(.notAConfiguration, "the query of the URL does not begin with \(prefix)")
        }
        let query = Array(url[mark.upperBound...].dropFirst(prefix.count).utf8)
        let form: FormFields
        do throws(FormError) { form = try FormFields.parse(query.span) } catch {
            throw ClientError(.notAConfiguration, "the query of the URL is malformed")
        }
        if let name = form.repeatedName {
            throw ClientError(.notAConfiguration, "\(name) stands twice in the URL")
        }
        let values = ["host", "port", "servicedomain", "SSL", "appname"].map { form.first($0) }
        let isSecure: Bool
        switch values[3] {
        case "TRUE", "true": isSecure = true
        case "FALSE", "false": isSecure = false
        case nil: throw ClientError(.missingProperty, "the URL says nothing of SSL")
        default: throw ClientError(.notAConfiguration, "SSL is neither TRUE nor FALSE")
        }
        guard let host = values[0], !host.isEmpty else { throw ClientError(.missingProperty, "the URL names no host") }
        guard let port = values[1], !port.isEmpty else { throw ClientError(.missingProperty, "the URL names no port") }
        let address = try WebURL(client: "\(isSecure ? "https" : "http")://\(host):\(port)")
        guard address.target == "/" else { throw ClientError(.invalidURL, "\"\(host)\" is no name of a host") }
        let base = String(address.description.dropLast())
        let isSame = previous.flatMap { try? WebURL(client: $0.baseURL).place } == address.place
        self = previous ?? ClientProfile(baseURL: base)
        if !isSame { move(to: base) }
        if let domain = values[2], !domain.isEmpty { serviceDomain = domain }
        if let name = values[4], !name.isEmpty { appName = name }
    }

    /// Forgets credentials, names and places of the former server.
    private mutating func move(to base: String) {
        let moved = ClientProfile(baseURL: base)
        baseURL = base
        (backendName, backendVersion, mobileBackendID, anonymousKey) = (nil, nil, nil, nil)
        (clientID, clientSecret, apiKey, apiomatApp) = (nil, nil, nil, nil)
        (serviceDomain, appName, identityProvider, appID, system) = (nil, nil, nil, nil, moved.system)
        oauthTokenEndpoint = moved.oauthTokenEndpoint
        ssoTokenEndpoint = moved.ssoTokenEndpoint
        jwtTokenEndpoint = moved.jwtTokenEndpoint
        // They would get tokens of the other server.
        hosts = []
    }
}
