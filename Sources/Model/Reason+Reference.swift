extension Reason {
    /// All reasons in Markdown, a heading and a table for each group.
    package static var reference: String {
        groups.map { group in
            let rows = group.rows.map { row in
                "| `\(row.code)` | \(row.status == 0 ? "" : "\(row.status)") | \(row.meaning) |\n"
            }
            return "#### \(group.title)\n\n| Code | Status | Meaning |\n|---|---|---|\n" + rows.joined()
        }.joined(separator: "\n")
    }
}
