import Bytes

/// The counters of one route in one worker, incremented in place by every finished request.
final class RouteCounter {
    let name: String
    /// For an endpoint whose requests concern routes; otherwise empty.
    private let route: String
    private let statuses = CounterBlock(count: WorkerMetrics.statusSlots)
    private let durations = CounterBlock(count: WorkerMetrics.durationBounds.count + 1)
    private var durationSum: Int64 = 0

    init(name: String, route: String = "") {
        self.name = name
        self.route = route
    }

    /// Counts a finished request.
    func count(status: Int, microseconds: Int64) {
        statuses.increment(status)
        durations.increment(WorkerMetrics.bucket(of: microseconds))
        durationSum &+= microseconds
    }

    /// The current values.
    var report: WorkerMetrics.RouteCounters {
        var report = WorkerMetrics.RouteCounters(name: name, route: route)
        report.statuses = statuses.values
        report.durations = durations.values
        report.durationSum = durationSum
        return report
    }
}
