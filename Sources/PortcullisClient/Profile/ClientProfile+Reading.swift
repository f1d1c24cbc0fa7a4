import Bytes
import ClientStore
import Model
import Reactor

extension ClientProfile {
    /// Reads `client.json`. Relative names of files start from its directory.
    /// - Parameter named: name in `profiles`; nil for `default`, or for the only profile of a file without names.
    public init(file: String, named: String? = nil) throws(ClientError) {
        let contents: [UInt8]
        do throws(KernelError) { contents = try FileSystem.read(file) } catch {
            throw ClientError(.invalidProfile, "\(file) cannot be read: \(error.text)")
        }
        let root = try ClientProfile.object(contents, file)
        if let profiles = try ClientProfiles(root, file) {
            let name = named ?? ClientProfiles.usual
            try self.init(profiles.profile(name), "\(file): /profiles/\(name)")
        } else if let named {
            throw ClientError(.invalidProfile, "\(file) has no /profiles, and none is called \"\(named)\"")
        } else {
            try self.init(root, file)
        }
        if let caFile, !caFile.hasPrefix("/") {
            self.caFile = "\(FilePath.directory(of: file))/\(caFile)"
        }
    }

    /// - Parameter name: name of the text in errors.
    public init(json: [UInt8], name: String = "client.json") throws(ClientError) {
        try self.init(ClientProfile.object(json, name), name)
    }

    static func object(_ json: [UInt8], _ name: String) throws(ClientError) -> JSONNode {
        let root: JSONNode
        do throws(JSONError) {
            root = try JSONNode.parse(json.span)
        } catch {
            throw ClientError(.invalidProfile, "\(name): \(error)")
        }
        guard root.members != nil else { throw ClientError(.invalidProfile, "\(name): expected an object") }
        return root
    }

    private init(_ root: JSONNode, _ name: String) throws(ClientError) {
        var reader = ProfileReader(root)
        let base = try ClientProfile.base(&reader, name)
        self.init(baseURL: base)
        readIdentity(&reader)
        readSettings(&reader)
        reader.finish()
        guard reader.problems.isEmpty else {
            throw ClientError(.invalidProfile, reader.problems.map { "\(name): \($0)" }.joined(separator: "\n"))
        }
        for reference in [oauthTokenEndpoint, ssoTokenEndpoint, jwtTokenEndpoint] {
            _ = try WebURL(client: url(reference))
        }
        for host in hosts { _ = try WebURL(client: host) }
    }

    /// OMS-02: a URL, or host, port and TLS.
    private static func base(_ reader: inout ProfileReader, _ name: String) throws(ClientError) -> String {
        let url = reader.text("baseUrl")
        let host = reader.text("host")
        let port = reader.number("port", in: 1...65_535)
        let isSSL = reader.flag("isSSL")
        if let url {
            if host != nil || port != nil || isSSL != nil {
                reader.complain("host", "stands beside /baseUrl; expected one of the two")
            }
            return try base(url)
        }
        guard let host else { throw ClientError(.missingProperty, "\(name): /baseUrl or /host is missing") }
        guard let port else { throw ClientError(.missingProperty, "\(name): /port is missing beside /host") }
        let isLiteral = host.contains(":") && !host.hasPrefix("[")
        return try base("\(isSSL ?? true ? "https" : "http")://\(isLiteral ? "[\(host)]" : host):\(port)")
    }

    private static func base(_ url: String) throws(ClientError) -> String {
        let address = try WebURL(client: url)
        guard !address.target.contains("?") else { throw ClientError(.invalidURL, "\"\(url)\" has a query") }
        var base = address.description
        while base.hasSuffix("/") { base.removeLast() }
        return base
    }

    private mutating func readIdentity(_ reader: inout ProfileReader) {
        backendName = reader.text("backendName")
        backendVersion = reader.text("backendVersion")
        mobileBackendID = reader.text("mobileBackendId")
        anonymousKey = reader.text("anonymousKey")
        clientID = reader.text("clientId")
        clientSecret = reader.text("clientSecret")
        oauthTokenEndpoint = reader.text("oauthTokenEndpoint") ?? oauthTokenEndpoint
        ssoTokenEndpoint = reader.text("ssoTokenEndpoint") ?? ssoTokenEndpoint
        jwtTokenEndpoint = reader.text("jwtTokenEndpoint") ?? jwtTokenEndpoint
        userAgent = reader.text("userAgent") ?? userAgent
        serviceDomain = reader.text("serviceDomain")
        appName = reader.text("appName")
        identityProvider = reader.text("identityProvider")
        if let identityProvider, identityProvider != "facebook" {
            reader.complain("identityProvider", "expected \"facebook\", found \"\(identityProvider)\"")
        }
        appID = reader.text("appId")
        apiomatApp = reader.text("apiomatApp")
        apiKey = reader.text("apiKey")
        system = reader.text("system") ?? system
        hosts = reader.texts("hosts") ?? []
        caFile = reader.text("caFile")
    }

    private mutating func readSettings(_ reader: inout ProfileReader) {
        timeoutSeconds = reader.number("timeoutSeconds", in: 1...3600) ?? timeoutSeconds
        settings.sessionTimeout = reader.number("sessionTimeout", in: 0...Int(Int32.max))
        settings.idleTimeout = reader.number("idleTimeout", in: 0...Int(Int32.max))
        settings.maxLoginAttempts = reader.number("maxLoginAttempts", in: 1...1000)
        settings.offlineAuthentication = reader.flag("offlineAuthentication")
        settings.cryptoScheme = reader.text("cryptoScheme")
        let schemes = CryptoService.schemes
        if let scheme = settings.cryptoScheme, !schemes.contains(scheme) {
            reader.complain("cryptoScheme", "expected one of \(schemes.joined(separator: ", ")), found \"\(scheme)\"")
        }
    }

    /// The text of `client.json` with this profile, without default values.
    public var json: [UInt8] {
        let usual = ClientProfile(baseURL: "")
        var writer = JSONWriter()
        writer.beginObject()
        let texts = [
            ("baseUrl", baseURL), ("backendName", backendName), ("backendVersion", backendVersion),
            ("mobileBackendId", mobileBackendID), ("anonymousKey", anonymousKey), ("clientId", clientID),
            ("clientSecret", clientSecret),
            ("oauthTokenEndpoint", oauthTokenEndpoint == usual.oauthTokenEndpoint ? nil : oauthTokenEndpoint),
            ("ssoTokenEndpoint", ssoTokenEndpoint == usual.ssoTokenEndpoint ? nil : ssoTokenEndpoint),
            ("jwtTokenEndpoint", jwtTokenEndpoint == usual.jwtTokenEndpoint ? nil : jwtTokenEndpoint),
            ("userAgent", userAgent == usual.userAgent ? nil : userAgent), ("serviceDomain", serviceDomain),
            ("appName", appName), ("identityProvider", identityProvider), ("appId", appID), ("apiomatApp", apiomatApp),
            ("apiKey", apiKey),
            ("system", system == usual.system ? nil : system), ("caFile", caFile),
            ("cryptoScheme", settings.cryptoScheme),
        ]
        for (name, value) in texts { if let value { writer.member(name, value) } }
        if !hosts.isEmpty { writer.member("hosts", hosts) }
        let numbers = [
            ("timeoutSeconds", timeoutSeconds == usual.timeoutSeconds ? nil : timeoutSeconds),
            ("sessionTimeout", settings.sessionTimeout), ("idleTimeout", settings.idleTimeout),
            ("maxLoginAttempts", settings.maxLoginAttempts),
        ]
        for (name, value) in numbers { if let value { writer.member(name, value) } }
        if let allowed = settings.offlineAuthentication { writer.member("offlineAuthentication", allowed) }
        writer.endObject()
        return (try? JSONLayout.indented(writer.bytes, by: 2)) ?? writer.bytes
    }
}
