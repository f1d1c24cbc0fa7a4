extension ProxyDraft {
    /// The dynamic configuration of Traefik.
    var traefik: String {
        let rules = endpoints.map { "\($0.hasSuffix("/") ? "PathPrefix" : "Path")(`\($0)`)" }
        // These are Traefik's own.
        let own = [
            "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Port", "X-Forwarded-Proto", "X-Forwarded-Server",
            "X-Real-IP",
        ]
        func empty(_ names: [String]) -> String {
            let items = ProxyDraft.commas(names.map { "\($0): \"\"" })
            return ProxyDraft.lines(items.indices.map { $0 == 0 ? "{ \(items[0])" : items[$0] }, indent: 10) + " }"
        }
        let taken = ProxyDraft.commas(answered + ["X-Request-Id"])
        return """
            http:
              routers:
                api:
                  rule: PathPrefix(`/`)
                  priority: 1
                  middlewares: [fields, portcullis, credentials]
                  service: api
                gateway:
                  rule: >-
            \(ProxyDraft.lines(rules.enumerated().map { $0.offset == 0 ? $0.element : "|| \($0.element)" }, indent: 8))
                  priority: 100
                  service: gateway
                preflight:
                  rule: Method(`OPTIONS`) && HeaderRegexp(`Access-Control-Request-Method`, `.+`)
                  priority: 200
                  service: gateway
              middlewares:
                fields:
                  headers:
                    customRequestHeaders:
            \(empty(removed { has(answered + own, $0) }))
                portcullis:
                  forwardAuth:
                    address: http://127.0.0.1:\(ProxyDraft.decisions)\(path)
                    authResponseHeaders:
            \(ProxyDraft.lines(taken.indices.map { $0 == 0 ? "[\(taken[0])" : taken[$0] }, indent: 10))]
                credentials:
                  headers:
                    customRequestHeaders:
            \(empty(credentials + ProxyDraft.refused))
              services:
                api: { loadBalancer: { servers: [{ url: "http://127.0.0.1:\(ProxyDraft.api)" }] } }
                gateway: { loadBalancer: { servers: [{ url: "http://127.0.0.1:\(ProxyDraft.gateway)" }] } }
            """
    }
}
