import Declaration
import Model

extension ForwardAuthSettings {
    static let shape = Shape.object("an object with \"path\" or \"pathPrefix\"") { object in
        let path = object.take(
            "path", endpointPath,
            "Path for proxies that describe the request in `X-Forwarded-*` or `X-Original-*` fields, such as `/_auth`.")
        let prefix = object.take(
            "pathPrefix", endpointPath,
            "Prefix of the target for proxies that send the method and target of the request, as Envoy's `path_prefix`."
        )
        let peers = object.value(
            "trustedProxies", .addressBlocks, default: [],
            "CIDR blocks of the proxies that may ask, instead of the gateway's `trustedProxies`.")
        object.rules(.atLeastOne(of: "path", "pathPrefix", because: "the endpoint has no path"))
        let settings = ForwardAuthSettings(
            path: path?.read() ?? [], pathPrefix: prefix?.read() ?? [], trustedProxies: peers)
        if !settings.pathPrefix.isEmpty, settings.path.starts(with: settings.pathPrefix + Array("/".utf8)) {
            path?.field.error("the path begins with \"pathPrefix\"", expected: "a path outside it")
        }
        return settings
    }

    private static let endpointPath = Shape<[UInt8]>(
        .pattern("^(/[^/*?#]+)+$"),
        read: { field in
            let expected = "a path such as \"/_auth\", without \"/\" at the end"
            guard let text = field.text(expected) else { return nil }
            return PathPrefix(text).map { Array($0.text.utf8) } ?? field.invalid(expected)
        })
}
