import Bytes

/// Asking servers how they are.
package struct HealthCheckEntry: Sendable {
    /// Request target of a GET.
    package var path: String
    package var interval: Duration
    package var timeout: Duration
    /// Answers in a row that bring a server back.
    package var healthy: Int
    /// Failures in a row that take a server out.
    package var unhealthy: Int
    /// Status codes that are good answers.
    package var status: ClosedRange<Int>

    static func read(_ field: Field) -> HealthCheckEntry {
        var object = field.object("a health check: {\"path\"}")
        let entry = HealthCheckEntry(
            path: object.required("path", "a path such as \"/health\"", standIn: "/", target),
            interval: object.duration("interval", default: .seconds(10)),
            timeout: object.duration("timeout", default: .seconds(2)),
            healthy: object.count("healthy", in: 1...100, default: 2, "a number of answers"),
            unhealthy: object.count("unhealthy", in: 1...100, default: 3, "a number of answers"),
            status: object.value("status", default: 200...399) { $0.statusRange() })
        if entry.timeout >= entry.interval {
            field.error(
                "\"timeout\" is not less than \"interval\"", expected: "an answer before the next question",
                found: "\(entry.timeout) and \(entry.interval)")
        }
        object.finish()
        return entry
    }

    private static func target(_ field: Field) -> String? {
        let expected = "a path such as \"/health\""
        guard let text = field.text(expected) else { return nil }
        guard text.hasPrefix("/"), text.utf8.allSatisfy({ $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "#") }) else {
            field.invalid(expected, suggestion: text.hasPrefix("/") || text.isEmpty ? nil : "/\(text)")
            return nil
        }
        return text
    }
}

/// Taking servers out whose answers to clients' requests fail.
package struct EjectionEntry: Sendable {
    /// Failures in a row that take a server out.
    package var failures: Int
    /// For how long, the first time.
    package var time: Duration
    /// Share of the servers that may be out at once, in percent.
    package var maximumPercent: Int

    static func read(_ field: Field) -> EjectionEntry {
        var object = field.object("an ejection rule: {\"failures\", \"time\", \"maxPercent\"}")
        let entry = EjectionEntry(
            failures: object.count("failures", in: 1...100_000, default: 5, "a number of failures"),
            time: object.duration("time", default: .seconds(30)),
            maximumPercent: object.count("maxPercent", in: 0...100, default: 50, "a percentage"))
        object.finish()
        return entry
    }
}

extension Field {
    /// A status code or a range of them: `200`, `"200-399"`.
    fileprivate func statusRange() -> ClosedRange<Int>? {
        let expected = "a status code from 200 to 599, or a range such as \"200-399\""
        guard let text = node.string else { return integer(in: 200...599, "a status code").map { $0...$0 } }
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { part in
            part.utf8.count == 3 && part.utf8.allSatisfy({ (48...57).contains($0) }) ? Int(part) ?? 0 : 0
        }
        guard ends.count == 2, ends[0] <= ends[1], ends.allSatisfy((200...599).contains) else {
            invalid(expected)
            return nil
        }
        return ends[0]...ends[1]
    }
}
