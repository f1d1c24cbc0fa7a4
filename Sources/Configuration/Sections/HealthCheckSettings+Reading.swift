import Bytes
import Declaration
import Model

extension HealthCheckSettings {
    static let shape = Shape.object("a health check: {\"path\"}") { object in
        let answers = Shape.integer(1...100, "a number of answers")
        var settings = HealthCheckSettings(
            path: object.required(
                "path", .text(.pattern("^/[^# ]*$"), target), "a path such as \"/health\"", placeholder: "/",
                "Target of the GET request, such as `/health`."))
        let interval = object.value(
            "interval", .duration, default: .seconds(10), "Time from one check to the next.")
        let timeout = object.value(
            "timeout", .duration, default: .seconds(2), "Time for the answer; less than `interval`.")
        object.read(
            "healthy", answers, into: &settings.healthy,
            "Good answers in a row after which a server gets requests again.")
        object.read(
            "unhealthy", answers, into: &settings.unhealthy,
            "Failures in a row after which a server gets no requests.")
        object.read(
            "status", statusRange, into: &settings.status,
            "Status codes of good answers: one, or a range such as `200-399`.")
        if timeout >= interval {
            object.field.error(
                "\"timeout\" is not less than \"interval\"", expected: "an answer before the next question",
                found: "\(timeout) and \(interval)")
        }
        settings.interval = interval.milliseconds
        settings.timeout = timeout.milliseconds
        return settings
    }

    private static let statusRange = Shape(
        .either([.integer(200...599), .pattern("^[2-5][0-9][0-9]-[2-5][0-9][0-9]$")]),
        write: { .text("\($0.lowerBound)-\($0.upperBound)") }, read: { $0.statusRange() })

    private static func target(_ field: Field) -> String? {
        let expected = "a path such as \"/health\""
        guard let text = field.text(expected) else { return nil }
        guard text.hasPrefix("/"), text.utf8.allSatisfy({ $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "#") }) else {
            return field.invalid(expected, suggestion: text.hasPrefix("/") || text.isEmpty ? nil : "/\(text)")
        }
        return text
    }
}

extension EjectionSettings {
    static let shape = Shape.object("an ejection rule: {\"failures\", \"time\", \"maxPercent\"}") { object in
        var settings = EjectionSettings()
        object.read(
            "failures", .integer(1...100_000, "a number of failures"), into: &settings.failures,
            "Failures in a row after which a server is taken out.")
        object.read("time", .milliseconds, into: &settings.time, "How long it stays out the first time.")
        object.read(
            "maxPercent", .integer(0...100, "a percentage"), into: &settings.maximumPercent,
            "Share of the servers that may be out at once, in percent.")
        return settings
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
            return invalid(expected)
        }
        return ends[0]...ends[1]
    }
}
