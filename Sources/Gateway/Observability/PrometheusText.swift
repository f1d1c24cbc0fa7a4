import Identity
import Issuers
import Model
import Policy
import Reactor
import TokenStorage

/// The counters in Prometheus text format (exposition format 0.0.4).
package enum PrometheusText {
    /// Metrics of the process as a whole.
    struct Facts {
        var issued: IssuedTokenStore.Counters
        var reloads: SharedState.ReloadCounters
        var revocations: Int
        var store: RevocationFollower.Report
        var blockingWaiting: Int
        var outbound = OutboundCalls.Counters()
        /// By name of the configuration entry.
        var issuerKeys: [(name: String, report: RemoteKeySet.Report)] = []
        /// Of the gateway's own certificates.
        var certificates: [CertificateEnd] = []
        /// Issuers of upstream tokens.
        var issuers: [IssuerGate.Report] = []
        var introspection: [(name: String, report: Introspector.Report)] = []
        /// Of the servers that are asked about requests.
        var policyServers: [PolicyAsker.Report] = []
        var tracing = Tracer.Report()
        var uptimeSeconds: Int64
        var workers: Int
        var engine: String
        var assertionReloadFailures: [(source: String, count: UInt64)] = []
        var providerRevocations: [ProviderRevocations.Count] = []
        /// Records of the store that need a former key; nil if not counted yet.
        var needingFormerKey: Int?
        var cleaned = TokenCleaner.Record()
        var version = ""
        var figures = ProcessFigures()
    }

    /// A metric as it is declared.
    struct Family {
        let name: String
        let type: String
        let help: String
        let labels: [String]
    }

    struct Page {
        var text = ""
        /// The metrics of the page in their order.
        private(set) var families: [Family] = []

        mutating func family(
            _ name: String, _ type: String, _ help: String, _ labels: [String] = [], prefix: String = "portcullis"
        ) {
            text += "# HELP \(prefix)_\(name) \(help)\n# TYPE \(prefix)_\(name) \(type)\n"
            families.append(Family(name: "\(prefix)_\(name)", type: type, help: help, labels: labels))
        }

        mutating func sample(_ name: String, _ labels: String = "", _ value: some CustomStringConvertible) {
            text += "portcullis_\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(value)\n"
        }

        mutating func single(_ name: String, _ type: String, _ help: String, _ value: some CustomStringConvertible) {
            family(name, type, help)
            sample(name, "", value)
        }
    }

    static func render(_ metrics: WorkerMetrics, _ facts: Facts) -> [UInt8] {
        Array(page(metrics, facts).text.utf8)
    }

    static func page(_ metrics: WorkerMetrics, _ facts: Facts) -> Page {
        var page = Page()
        requests(metrics, &page)
        decisions(metrics, &page)
        connections(metrics, facts, &page)
        upstreams(metrics.upstreams, &page)
        caches(metrics, facts, &page)
        store(facts, &page)
        outbound(facts, &page)
        certificates(facts.certificates, &page)
        issuers(facts, &page)
        policyServers(facts.policyServers, &page)
        spans(facts.tracing, &page)
        process(metrics, facts, &page)
        return page
    }

    private static func requests(_ metrics: WorkerMetrics, _ page: inout Page) {
        let routes = metrics.routes.map { (label: "route=\"\(escape($0.name))\"", counters: $0) }
        let endpoints = metrics.endpoints.sorted { ($0.name, $0.route) < ($1.name, $1.route) }.map {
            (label: "route=\"\(escape($0.route))\",endpoint=\"\(escape($0.name))\"", counters: $0)
        }
        page.family(
            "requests_total", "counter",
            "Finished requests by route and status; without a route by the gateway's own endpoint, if it is one.",
            ["route", "endpoint", "code"])
        for (label, route) in routes + endpoints {
            for (status, count) in route.statuses.enumerated() where count > 0 {
                page.sample("requests_total", "\(label),code=\"\(status)\"", count)
            }
        }
        page.family(
            "request_duration_seconds", "histogram", "From the head of a request to the end of its response.",
            ["route", "endpoint", "le"])
        for (label, route) in routes + endpoints where route.durations.contains(where: { $0 > 0 }) {
            var sum: UInt64 = 0
            for (i, bound) in WorkerMetrics.durationBounds.enumerated() {
                sum += route.durations[i]
                page.sample("request_duration_seconds_bucket", "\(label),le=\"\(Double(bound) / 1_000_000)\"", sum)
            }
            sum += route.durations[WorkerMetrics.durationBounds.count]
            page.sample("request_duration_seconds_bucket", "\(label),le=\"+Inf\"", sum)
            page.sample("request_duration_seconds_sum", label, Double(route.durationSum) / 1_000_000)
            page.sample("request_duration_seconds_count", label, sum)
        }
        page.family(
            "consumer_requests_total", "counter", "Finished requests with API keys by consumer and status.",
            ["consumer", "code"])
        for (name, counts) in metrics.consumers.sorted(by: { $0.key < $1.key }) {
            for (status, count) in counts.sorted(by: { $0.key < $1.key }) {
                page.sample("consumer_requests_total", "consumer=\"\(name)\",code=\"\(status)\"", count)
            }
        }
        page.single("requests_in_flight", "gauge", "Requests under way.", metrics.requestsInFlight)
    }

    private static func decisions(_ metrics: WorkerMetrics, _ page: inout Page) {
        page.family("denied_total", "counter", "Requests that were not served, by reason code.", ["reason"])
        for (reason, count) in metrics.reasons.sorted(by: { $0.key.code < $1.key.code }) {
            page.sample("denied_total", "reason=\"\(reason.code)\"", count)
        }
        // Includes zeros, so that every limit is visible to monitoring.
        page.family(
            "trial_denied_total", "counter",
            "Requests that a rule on trial would have refused, by route and reason code.", ["route", "reason"])
        for (route, counts) in metrics.trialDenials.sorted(by: { $0.key < $1.key }) {
            for (reason, count) in counts.sorted(by: { $0.key.code < $1.key.code }) {
                page.sample(
                    "trial_denied_total", "route=\"\(escape(route))\",reason=\"\(reason.code)\"", count)
            }
        }
        page.family(
            "mcp_requests_total", "counter",
            "Messages to MCP servers about tools, resources and prompts, by rule, client and decision.",
            ["route", "kind", "name", "client", "decision"])
        for (text, count) in metrics.messages.map({ (text(of: $0), $1) }).sorted(by: { $0.0 < $1.0 }) {
            page.sample("mcp_requests_total", text, count)
        }
        page.family("limited_total", "counter", "Connections and requests that ran into a limit, by limit.", ["limit"])
        for limit in Limit.allCases {
            page.sample("limited_total", "limit=\"\(limit.name)\"", metrics.limited[limit.rawValue])
        }
        page.family("upstream_errors_total", "counter", "Failures of upstreams by kind.", ["reason"])
        for failure in UpstreamFailure.allCases {
            page.sample(
                "upstream_errors_total", "reason=\"\(failure.reason)\"", metrics.upstreamErrors[failure.rawValue])
        }
        page.single(
            "upstream_retries_total", "counter", "Requests sent again over a fresh connection.", metrics.upstreamRetries
        )
    }

    private static func text(of labels: MessageLabels) -> String {
        let decision = labels.isAllowed ? "allowed" : "denied"
        return [
            ("route", labels.route), ("kind", labels.kind.rawValue), ("name", labels.name), ("client", labels.client),
            ("decision", decision),
        ].map { "\($0)=\"\(escape($1))\"" }.joined(separator: ",")
    }

    private static func connections(_ metrics: WorkerMetrics, _ facts: Facts, _ page: inout Page) {
        page.single(
            "connections_accepted_total", "counter", "Client connections accepted.", metrics.connectionsAccepted)
        page.single(
            "connections_refused_total", "counter", "Client connections over the limit.", metrics.connectionsRefused)
        page.single(
            "http2_connections_total", "counter", "Client connections that speak HTTP/2.", metrics.http2Connections)
        page.single("tls_handshakes_total", "counter", "TLS handshakes with clients.", metrics.tlsHandshakes)
        page.single(
            "tls_resumptions_total", "counter", "TLS handshakes that resumed a session.", metrics.tlsResumptions)
        page.single(
            "tls_handshake_failures_total", "counter", "TLS handshakes that failed.",
            metrics.tlsHandshakeFailures)
        page.single("connections_open", "gauge", "Client connections open.", metrics.connectionsOpen)
        page.single(
            "upstream_connections_opened_total", "counter", "Connections to upstreams.",
            metrics.upstreamConnectionsOpened)
        page.single("tunnels_total", "counter", "Connections that were upgraded.", metrics.tunnelsOpened)
        page.single("tunnels_open", "gauge", "Upgraded connections open.", metrics.tunnelsOpen)
        page.single("event_streams_open", "gauge", "Streams of events under way.", metrics.eventStreamsOpen)
        page.single("buffers_in_use", "gauge", "Receive and send buffers in use.", metrics.chunksInUse)
        page.single("buffer_bytes", "gauge", "Bytes of those buffers.", metrics.bufferBytes)
        page.single("blocking_waiting", "gauge", "Work off the loops that waits for a place.", facts.blockingWaiting)
    }

    private static func caches(_ metrics: WorkerMetrics, _ facts: Facts, _ page: inout Page) {
        page.family("cache_hits_total", "counter", "Cache hits.", ["cache"])
        page.sample("cache_hits_total", "cache=\"verified_tokens\"", metrics.tokenCacheHits)
        page.sample("cache_hits_total", "cache=\"issued_tokens\"", metrics.injectionHits)
        page.family("cache_misses_total", "counter", "Cache misses.", ["cache"])
        page.sample("cache_misses_total", "cache=\"verified_tokens\"", metrics.tokenCacheMisses)
        page.sample("cache_misses_total", "cache=\"issued_tokens\"", metrics.injectionMisses)
        page.family("cache_evictions_total", "counter", "Entries dropped for room.", ["cache"])
        page.sample("cache_evictions_total", "cache=\"verified_tokens\"", metrics.tokenCacheEvictions)
        page.sample("cache_evictions_total", "cache=\"issued_tokens\"", facts.issued.evictions)
        page.sample("cache_evictions_total", "cache=\"upstream_webgates\"", metrics.webgateEvictions)
        page.family("cache_entries", "gauge", "Entries held.", ["cache"])
        page.sample("cache_entries", "cache=\"verified_tokens\"", metrics.tokenCacheEntries)
        page.sample("cache_entries", "cache=\"issued_tokens\"", facts.issued.entries)
        page.family("issuer_calls_total", "counter", "Calls of issuer modules by outcome.", ["outcome"])
        page.sample("issuer_calls_total", "outcome=\"issued\"", facts.issued.issued)
        page.sample("issuer_calls_total", "outcome=\"failed\"", facts.issued.failed)
    }

    private static func store(_ facts: Facts, _ page: inout Page) {
        let store = facts.store
        page.single("revocations", "gauge", "Entries of the deny list.", facts.revocations)
        // AOM-23.
        page.single(
            "token_cleaner_last_run", "gauge",
            "When expired tokens were last deleted, in seconds since 1970; 0 for never.", facts.cleaned.lastRun)
        page.single("token_cleaner_deleted_total", "counter", "Expired tokens deleted.", facts.cleaned.deleted)
        page.single(
            "revocations_age_seconds", "gauge", "Since the store was last asked for others' revocations, and answered.",
            Double(store.age) / 1000)
        page.single(
            "clock_correction_seconds", "gauge",
            "What is added to the machine's clock to agree with that of the store.",
            Double(Clock.correctionMilliseconds) / 1000)
        if let count = facts.needingFormerKey {
            page.single(
                "store_former_key_records", "gauge",
                "Records of the store that need a former key, at the last count.", count)
        }
        page.family("store_up", "gauge", "Whether the store of tokens answers, and takes what it is given.", ["store"])
        page.sample("store_up", "store=\"\(store.kind)\"", store.isUp ? 1 : 0)
        page.single(
            "store_unwritten_revocations", "gauge", "Revocations that the store of tokens has not taken yet.",
            store.unwritten)
        page.single(
            "store_skipped_entries_total", "counter",
            "Entries of the deny list that this version cannot read, and skips.", store.skipped)
        page.family("store_operations_total", "counter", "Operations of the store of tokens by outcome.", ["outcome"])
        page.sample("store_operations_total", "outcome=\"ok\"", store.succeeded)
        page.sample("store_operations_total", "outcome=\"failed\"", store.failed)
    }

    private static func process(_ metrics: WorkerMetrics, _ facts: Facts, _ page: inout Page) {
        page.family("config_reloads_total", "counter", "Reloads of the configuration by outcome.", ["outcome"])
        page.sample("config_reloads_total", "outcome=\"ok\"", facts.reloads.succeeded)
        page.sample("config_reloads_total", "outcome=\"failed\"", facts.reloads.failed)
        page.family(
            "assertion_reload_failures_total", "counter",
            "Failed readings of what tokens are exchanged by, by source.", ["source"])
        for (source, count) in facts.assertionReloadFailures {
            page.sample("assertion_reload_failures_total", "source=\"\(source)\"", count)
        }
        page.single("config_generation", "gauge", "Number of the configuration in force.", facts.reloads.generation)
        page.single(
            "log_lines_dropped_total", "counter", "Access-log lines that the destination was too slow for.",
            metrics.logLinesDropped)
        page.family("workers", "gauge", "Event loops, by engine.", ["engine"])
        page.sample("workers", "engine=\"\(facts.engine)\"", facts.workers)
        page.single("uptime_seconds", "gauge", "Since the start of the process.", facts.uptimeSeconds)
        page.family("build_info", "gauge", "1, with the version of the program.", ["version"])
        page.sample("build_info", "version=\"\(escape(facts.version))\"", 1)
        figures(facts.figures, &page)
    }

    /// Standard process metrics under their conventional names.
    private static func figures(_ figures: ProcessFigures, _ page: inout Page) {
        func single(_ name: String, _ type: String, _ help: String, _ value: some CustomStringConvertible) {
            page.family(name, type, help, prefix: "process")
            page.text += "process_\(name) \(value)\n"
        }
        single("cpu_seconds_total", "counter", "Processor time of user and system.", figures.processorSeconds)
        single("resident_memory_bytes", "gauge", "Memory in use.", figures.residentBytes)
        single("virtual_memory_bytes", "gauge", "Address space in use.", figures.virtualBytes)
        single("open_fds", "gauge", "Open file descriptors.", figures.openDescriptors)
        single("max_fds", "gauge", "File descriptors that may be open.", figures.maximumDescriptors)
        single("start_time_seconds", "gauge", "Start of the process, in seconds since 1970.", figures.startedAt)
    }

    static func escape(_ text: String) -> String {
        var escaped = ""
        // By scalar: CR LF is one character, which differs from a line feed.
        for character in text.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
