import Bytes
import Model

extension OAuth2ProxyConversion {
    /// Listeners, `baseUrl` and trusted proxies.
    mutating func convertListeners() {
        let (certificate, key) = (text("tls_cert_file"), text("tls_key_file"))
        let minimum = text("tls_min_version")
        let plain = listener("http_address", standard: "127.0.0.1:4180")
        // Without a certificate it counts for nothing in oauth2-proxy either.
        let secure = certificate == nil ? nil : listener("https_address", standard: ":443")
        if certificate == nil, let unused = take("https_address") {
            result.report.add(.unneeded, unused.place, unused.name, "without tls_cert_file there is no such listener")
        }
        let isForced = flag("force_https", false)
        var listeners: [JSONNode] = []
        var port: Int64 = 4180
        if let plain {
            var members = plain
            if isForced.value, secure != nil {
                members.append(("redirectToHttps", .flag(true)))
                translated(isForced.place, "force_https", "redirectToHttps of the listener")
            }
            port = plain.first { $0.name == "port" }?.value.integer ?? port
            listeners.append(.object(members))
        }
        if isForced.value, secure == nil {
            attention(
                isForced.place, "force_https",
                "there is no listener with TLS here; the proxy in front has to redirect, or write a listener with tls")
        }
        if var members = secure, let certificate {
            let files: [(name: String, value: JSONNode)] = [
                ("certFile", .text(certificate.text)), ("keyFile", .text(key?.text ?? "key.pem")),
            ]
            var tls: [(name: String, value: JSONNode)] = [("certificates", JSONNode(.array([.object(files)])))]
            if let minimum {
                let version = minimum.text.hasSuffix("1.3") ? "1.3" : "1.2"
                tls.append(("minVersion", .text(version)))
                translated(minimum.place, "tls_min_version", "tls.minVersion \(version)")
            }
            members.append(("tls", .object(tls)))
            translated(certificate.place, "tls_cert_file", "tls.certificates of the listener")
            translated(key?.place, "tls_key_file", "tls.certificates of the listener")
            if key == nil { open(certificate.place, "tls_key_file", "the file of the private key is missing") }
            listeners.append(.object(members))
        }
        if let (address, place) = text("metrics_address"), let members = Self.endpoint(address) {
            listeners.append(.object(members + [("role", .text("metrics"))]))
            translated(place, "metrics_address", "a listener with \"role\": \"metrics\"")
        }
        baseURL = origin(isSecure: secure != nil, port: port)
        section("baseUrl", .text(baseURL))
        if listeners.isEmpty {
            open(nil, "http_address", "there is no address to listen on; write a listener")
            listeners = [.object(Self.endpoint("127.0.0.1:4180") ?? [])]
        }
        section("listeners", JSONNode(.array(listeners)))
        convertProxies()
    }

    private mutating func listener(_ name: String, standard: String) -> [(name: String, value: JSONNode)]? {
        let setting = take(name)
        let address = setting?.values.first ?? standard
        if address.isEmpty || address == "-" { return nil }
        guard let members = Self.endpoint(address) else {
            open(setting?.place, name, "\"\(address)\" is no address and port; write the listener")
            return nil
        }
        translated(setting?.place, name, "a listener")
        return members
    }

    /// Address and port of a listener: `127.0.0.1:4180`, `:443`, `http://[::]:4180` or `unix://PATH`.
    static func endpoint(_ text: String) -> [(name: String, value: JSONNode)]? {
        if text.hasPrefix("unix:") {
            let path = text.dropFirst(5)
            return [("address", .text("unix:" + (path.hasPrefix("//") ? path.dropFirst(2) : path)))]
        }
        let bare = text.contains("://") ? text.split(separator: "://", maxSplits: 1).last.map(String.init) ?? "" : text
        guard let colon = bare.lastIndex(of: ":"), let port = Int64(bare[bare.index(after: colon)...]),
            (0...65535).contains(port)
        else { return nil }
        var host = String(bare[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        if host.isEmpty { host = "0.0.0.0" }
        if host == "localhost" { host = "127.0.0.1" }
        guard let address = IPAddress(host) else { return nil }
        return [("address", .text("\(address)")), ("port", .number(port))]
    }

    /// Where browsers reach the gateway: the origin of the redirect URL.
    private mutating func origin(isSecure: Bool, port: Int64) -> String {
        if let (text, place) = text("redirect_url") {
            if let url = try? WebURL(text), !url.host.isEmpty {
                let origin = text.split(separator: "/", omittingEmptySubsequences: false).prefix(3)
                    .joined(separator: "/")
                translated(place, "redirect_url", "its origin is baseUrl")
                return origin
            }
            attention(place, "redirect_url", "\"\(text)\" is no http or https URL, and is not translated")
        }
        let url = isSecure ? "https://localhost" : "http://localhost:\(port)"
        open(nil, "redirect_url", "set baseUrl to the origin that browsers use; it is \(url) now")
        return url
    }

    private mutating func convertProxies() {
        let isBehind = flag("reverse_proxy", false)
        let trusted = take("trusted_proxy_ips")
        guard isBehind.value else {
            if let trusted {
                result.report.add(
                    .unneeded, trusted.place, trusted.name, "without reverse_proxy no forwarding field is read")
            }
            return
        }
        let blocks = trusted?.elements ?? []
        // All addresses would let every client choose its own.
        let usable = blocks.filter { !$0.hasSuffix("/0") && IPAddressRange($0) != nil }
        if !usable.isEmpty {
            section("trustedProxies", .texts(usable))
            translated(isBehind.place, "reverse_proxy", "trustedProxies")
            translated(trusted?.place, "trusted_proxy_ips", "trustedProxies")
        }
        if usable.count < max(1, blocks.count) {
            open(
                trusted?.place ?? isBehind.place, trusted?.name ?? "reverse_proxy",
                "set trustedProxies to the addresses of the proxies in front; forwarding fields of others are not read")
        }
    }
}
