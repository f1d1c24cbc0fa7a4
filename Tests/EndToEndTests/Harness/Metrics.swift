/// Samples of a Prometheus text exposition, by name and labels.
struct Metrics {
    private var samples: [(name: String, labels: [String: String], value: Double)] = []

    init(_ text: String) {
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            guard let match = line.wholeMatch(of: /([A-Za-z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)(?:\s+\d+)?/) else {
                continue
            }
            var labels: [String: String] = [:]
            for label in (match.2 ?? "").matches(of: /(\w+)="((?:[^"\\]|\\.)*)"/) {
                labels[String(label.1)] = String(label.2)
            }
            samples.append((String(match.1), labels, Double(match.3) ?? .nan))
        }
    }

    /// The sum of all samples with this name that have at least these labels; nil if there is none.
    func sum(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        let found = samples.filter { sample in
            sample.name == name && labels.allSatisfy { sample.labels[$0.key] == $0.value }
        }
        return found.isEmpty ? nil : found.reduce(0) { $0 + $1.value }
    }
}
