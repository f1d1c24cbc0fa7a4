import Model

extension LogEvent {
    /// The page of the reference with all events.
    package static var reference: String {
        let chapters = allCases.map { event in
            let declaration = event.declaration
            let fields = declaration.fields.map { "`\($0)`" }.joined(separator: ", ")
            return """
                ## `\(event.rawValue)`

                - Level: `\(declaration.level.rawValue)`
                - Fields: \(fields.isEmpty ? "none" : fields)

                \(declaration.meaning)

                """
        }
        return """
            # Log events

            Standard error has a JSON line for each event. Every line has `time` (seconds since 1970), `level` and `event`. An
            event has those of its further fields that apply. `log.level` is the least severe level that is written. No event
            contains a token, a password or a query.

            \(chapters.joined(separator: "\n"))
            """
    }
}
