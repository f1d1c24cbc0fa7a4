import Model

/// Metrics of upstreams and their servers.
extension PrometheusText {
    static func upstreams(_ reports: [UpstreamReport], _ page: inout Page) {
        upstreamGauges(reports, &page)
        let families: [(String, String, (UpstreamReport) -> UInt64)] = [
            ("breaker_opened_total", "Times that the breaker opened.", { $0.breakerOpened }),
            ("failovers_total", "Attempts on another server.", { $0.retries }),
            ("failovers_refused_total", "Attempts that the budget did not allow.", { $0.retriesRefused }),
            ("ejections_total", "Servers left alone because requests failed.", { $0.ejections }),
        ]
        for (name, help, value) in families {
            page.family("upstream_\(name)", "counter", help, ["upstream"])
            for report in reports { page.sample("upstream_\(name)", label(report), value(report)) }
        }
        serverGauges(reports, &page)
        page.family("upstream_requests_total", "counter", "Attempts by server.", ["upstream", "server"])
        eachServer(reports) { page.sample("upstream_requests_total", $0, $1.requests) }
        page.family(
            "upstream_failures_total", "counter", "Failed attempts by server and kind.",
            ["upstream", "server", "reason"])
        eachServer(reports) { label, server in
            for failure in UpstreamFailure.allCases where server.failures[failure.rawValue] > 0 {
                page.sample(
                    "upstream_failures_total", "\(label),reason=\"\(failure.reason)\"",
                    server.failures[failure.rawValue])
            }
            if server.badAnswers > 0 {
                page.sample("upstream_failures_total", "\(label),reason=\"bad_answer\"", server.badAnswers)
            }
        }
    }

    private static func upstreamGauges(_ reports: [UpstreamReport], _ page: inout Page) {
        let families: [(String, String, (UpstreamReport) -> Int)] = [
            ("in_flight", "Requests under way.", { $0.inFlight }),
            ("queue_length", "Requests that wait for room.", { $0.waiting }),
            ("breaker_state", "0 closed, 1 half open, 2 open; the worst of all workers.", { $0.breaker.rawValue }),
        ]
        for (name, help, value) in families {
            page.family("upstream_\(name)", "gauge", help, ["upstream"])
            for report in reports { page.sample("upstream_\(name)", label(report), value(report)) }
        }
    }

    private static func serverGauges(_ reports: [UpstreamReport], _ page: inout Page) {
        let families: [(String, String, (UpstreamReport.Server) -> Int)] = [
            ("healthy", "Addresses of the server that active checks find well.", { $0.healthyCount }),
            ("ejected", "Addresses of the server left alone because requests failed.", { $0.ejected }),
            ("server_in_flight", "Requests under way by server.", { $0.inFlight }),
            ("connections_open", "Connections by server, unused ones included.", { $0.open }),
            ("connections_idle", "Unused connections by server.", { $0.idleCount }),
        ]
        for (name, help, value) in families {
            page.family("upstream_\(name)", "gauge", help, ["upstream", "server"])
            eachServer(reports) { page.sample("upstream_\(name)", $0, value($1)) }
        }
    }

    private static func label(_ report: UpstreamReport) -> String { "upstream=\"\(escape(report.name))\"" }

    private static func eachServer(_ reports: [UpstreamReport], _ body: (String, UpstreamReport.Server) -> Void) {
        for report in reports {
            for server in report.servers { body("\(label(report)),server=\"\(escape(server.name))\"", server) }
        }
    }
}
