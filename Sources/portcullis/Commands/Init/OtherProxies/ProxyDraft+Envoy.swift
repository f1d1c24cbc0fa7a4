extension ProxyDraft {
    /// The whole configuration of Envoy.
    var envoy: String {
        let removals = removedByPrefix.map { name in
            name.hasSuffix("*")
                ? "{ remove_on_match: { key_matcher: { prefix: \(name.dropLast().lowercased()), ignore_case: true } } }"
                : "{ remove: \(name.lowercased()) }"
        }
        let further = answered.filter { !$0.hasPrefix("X-Gateway-") && $0 != "DPoP" }
        let patterns =
            ["{ prefix: x-gateway-, ignore_case: true }"]
            + further.map { "{ exact: \($0.lowercased()), ignore_case: true }" }
        return """
            static_resources:
              listeners:
                - address: { socket_address: { address: 127.0.0.1, port_value: \(ProxyDraft.proxy) } }
                  filter_chains:
                    - filters:
                        - name: envoy.filters.network.http_connection_manager
                          typed_config:
                            "@type": \(ProxyDraft.type("filters.network.http_connection_manager.v3.HttpConnectionManager"))
                            stat_prefix: ingress
                            use_remote_address: true
                            early_header_mutation_extensions:
                              - name: envoy.http.early_header_mutation.header_mutation
                                typed_config:
                                  "@type": \(ProxyDraft.type("http.early_header_mutation.header_mutation.v3.HeaderMutation"))
                                  mutations: [
            \(ProxyDraft.lines(ProxyDraft.commas(removals), indent: 24))
                                  ]
                            route_config:
                              virtual_hosts:
                                - name: all
                                  domains: ["*"]
                                  request_headers_to_remove: [\(ProxyDraft.refused.joined(separator: ", ").lowercased())]
                                  routes:
            \(ProxyDraft.column(endpoints.enumerated().flatMap(ProxyDraft.route), indent: 24))
                                    - match: { prefix: / }
                                      route: { cluster: api }
                            http_filters:
                              - name: envoy.filters.http.ext_authz
                                typed_config:
                                  "@type": \(ProxyDraft.type("filters.http.ext_authz.v3.ExtAuthz"))
                                  allowed_headers: { patterns: [{ safe_regex: { regex: ".*" } }] }
                                  http_service:
                                    server_uri: { uri: http://127.0.0.1:\(ProxyDraft.decisions), cluster: portcullis, timeout: 5s }
                                    path_prefix: \(prefix)
                                    authorization_response:
                                      allowed_upstream_headers:
                                        patterns:
            \(ProxyDraft.column(patterns.map { "- \($0)" }, indent: 30))
                                      allowed_client_headers_on_success:
                                        patterns: [{ prefix: access-control-, ignore_case: true }]
                              - name: envoy.filters.http.router
                                typed_config:
                                  "@type": \(ProxyDraft.type("filters.http.router.v3.Router"))
              clusters:
            \(ProxyDraft.cluster("portcullis", ProxyDraft.decisions))
            \(ProxyDraft.cluster("gateway", ProxyDraft.gateway))
            \(ProxyDraft.cluster("api", ProxyDraft.api))
            """
    }

    private static func type(_ name: String) -> String { "type.googleapis.com/envoy.extensions.\(name)" }

    /// The route of an endpoint, which asks no question; the first one has the words of it.
    private static func route(_ place: (offset: Int, element: String)) -> [String] {
        let match = place.element.hasSuffix("/") ? "prefix" : "path"
        let lines = ["- match: { \(match): \(place.element) }", "  route: { cluster: gateway }"]
        guard place.offset == 0 else { return lines + ["  typed_per_filter_config: *no_question"] }
        return lines + [
            "  typed_per_filter_config: &no_question", "    envoy.filters.http.ext_authz:",
            "      \"@type\": \(type("filters.http.ext_authz.v3.ExtAuthzPerRoute"))", "      disabled: true",
        ]
    }

    private static func cluster(_ name: String, _ port: Int) -> String {
        let address = "{ socket_address: { address: 127.0.0.1, port_value: \(port) } }"
        return """
                - name: \(name)
                  load_assignment:
                    cluster_name: \(name)
                    endpoints: [{ lb_endpoints: [{ endpoint: { address: \(address) } }] }]
            """
    }
}
