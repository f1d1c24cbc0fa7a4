extension ProxyDraft {
    /// Servers for the block `http`.
    var nginx: String {
        let taken = answered + ["X-Request-Id"]
        func variable(_ name: String) -> String { name.lowercased().replacing("-", with: "_") }
        let own = ["X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"]
        let gone = credentials + ProxyDraft.refused + removed { has(taken + own, $0) }
        return """
            map "$request_method $http_access_control_request_method" $is_preflight {
                default 0;
                "~^OPTIONS ." 1;
            }

            server {
                listen 127.0.0.1:\(ProxyDraft.proxy);
                proxy_headers_hash_max_size 2048;
                proxy_headers_hash_bucket_size 128;

                location = \(path) {
                    internal;
                    proxy_pass http://127.0.0.1:\(ProxyDraft.decisions);
                    proxy_http_version 1.1;
                    proxy_buffer_size 16k;
                    proxy_buffers 4 16k;
                    proxy_pass_request_body off;
                    proxy_set_header Content-Length "";
                    proxy_set_header X-Original-Method $request_method;
                    proxy_set_header X-Original-URI $request_uri;
                    proxy_set_header X-Original-URL "";
                    proxy_set_header X-Forwarded-Method "";
                    proxy_set_header X-Forwarded-Uri "";
            \(ProxyDraft.column(ProxyDraft.forwarding, indent: 8))
                }

                location / {
                    if ($is_preflight) { return 418; }
                    error_page 418 = @gateway;

                    auth_request \(path);
                    auth_request_set $auth_status $upstream_status;
                    auth_request_set $auth_location $upstream_http_location;
                    auth_request_set $auth_retry $upstream_http_retry_after;
                    auth_request_set $auth_origin $upstream_http_access_control_allow_origin;
            \(ProxyDraft.column(taken.map { "auth_request_set $auth_\(variable($0)) $upstream_http_\(variable($0));" }, indent: 8))
                    error_page 500 = @refused;
                    add_header Access-Control-Allow-Origin $auth_origin always;
                    add_header Vary Origin always;

                    # A field with an empty value is not sent, and the client's is not either.
            \(ProxyDraft.column(taken.map { "proxy_set_header \($0) $auth_\(variable($0));" }, indent: 8))
                    proxy_set_header Host $host;
            \(ProxyDraft.column(ProxyDraft.forwarding, indent: 8))
            \(ProxyDraft.lines(gone.map { "proxy_set_header \($0) \"\";" }, indent: 8))
                    proxy_pass http://127.0.0.1:\(ProxyDraft.api);
                }

                location @refused {
                    add_header Retry-After $auth_retry always;
                    if ($auth_location) { return 302 $auth_location; }
                    if ($auth_status = 400) { return 400; }
                    if ($auth_status = 404) { return 404; }
                    if ($auth_status = 405) { return 405; }
                    if ($auth_status = 429) { return 429; }
                    return 503;
                }

                # Endpoints of the gateway, and preflights. The gateway trusts 127.0.0.1 by "trustedProxies".
            \(ProxyDraft.column((endpoints.map { $0.hasSuffix("/") ? $0 : "= \($0)" } + ["@gateway"]).map(ProxyDraft.location), indent: 4))
                proxy_set_header Host $host:$server_port;
            \(ProxyDraft.column(ProxyDraft.forwarding, indent: 4))
            }
            """
    }

    private static let forwarding = [
        "proxy_set_header X-Forwarded-Host $host:$server_port;", "proxy_set_header X-Forwarded-Proto $scheme;",
        "proxy_set_header X-Forwarded-For $remote_addr;",
    ]

    private static func location(_ place: String) -> String {
        "location \(place) { proxy_pass http://127.0.0.1:\(gateway); }"
    }
}
