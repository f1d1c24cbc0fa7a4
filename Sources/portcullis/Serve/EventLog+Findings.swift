import Declaration
import Gateway
import Model

extension EventLog {
    /// Writes a finding about the configuration, for which `check` prints a line.
    func write(_ finding: Diagnostic) {
        let event: LogEvent =
            switch finding.severity {
            case .error: .configurationError
            case .warning: .configurationWarning
            case .note: .configurationNote
            }
        var members: [(String, Value)] = []
        if !finding.file.isEmpty { members.append(("file", .text(finding.file))) }
        if finding.line > 0 { members.append(("line", .number(finding.line))) }
        if !finding.pointer.isEmpty { members.append(("pointer", .text(finding.pointer))) }
        write(event, members + [("detail", .text(finding.text))])
    }
}
