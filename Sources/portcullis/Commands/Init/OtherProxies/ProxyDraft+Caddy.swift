extension ProxyDraft {
    /// A Caddyfile.
    var caddy: String {
        let paths = endpoints.map { $0.hasSuffix("/") ? "\($0)*" : $0 }
        // The client's are removed behind the decision, which needs them; those of the answer wait under other names.
        let waiting = answered.filter { !has(managed, $0) }
        func waits(_ name: String) -> String { "X-Upstream-\(name)" }
        let copies = (answered.filter { has(managed, $0) } + ["X-Request-Id"]) + waiting.map { "\($0)>\(waits($0))" }
        let early = removedByPrefix + ["X-Upstream-*"]
        let restored = waiting.flatMap { name in
            let matcher = "@\(name.lowercased())"
            return [
                "\(matcher) header \(waits(name)) *",
                "request_header \(matcher) \(name) {http.request.header.\(waits(name))}",
            ]
        }
        let gone = waiting + credentials + ProxyDraft.refused
        return """
            :\(ProxyDraft.proxy) {
                @gateway path \(paths.joined(separator: " "))
                handle @gateway {
                    reverse_proxy 127.0.0.1:\(ProxyDraft.gateway)
                }
                @preflight {
                    method OPTIONS
                    header Access-Control-Request-Method *
                }
                handle @preflight {
                    reverse_proxy 127.0.0.1:\(ProxyDraft.gateway)
                }
                handle {
                    # In this order: without "route" Caddy would sort the directives.
                    route {
                        @upgrade header Connection *pgrade*
                        @plain not header Connection *pgrade*
                        request_header @upgrade Connection Upgrade
                        request_header @plain -Connection
            \(ProxyDraft.column(early.map { "request_header -\($0)" }, indent: 12))
                        forward_auth 127.0.0.1:\(ProxyDraft.decisions) {
                            uri \(path)
                            copy_headers {
            \(ProxyDraft.column(copies, indent: 20))
                            }
                        }
            \(ProxyDraft.column(gone.map { "request_header -\($0)" } + restored, indent: 12))
                        request_header -X-Upstream-*
                        reverse_proxy 127.0.0.1:\(ProxyDraft.api)
                    }
                }
            }
            """.replacing("    ", with: "\t")
    }
}
