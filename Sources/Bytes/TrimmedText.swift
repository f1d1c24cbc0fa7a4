extension StringProtocol {
    /// Without blanks and tabs at the ends.
    package var trimmingBlanks: String { trimming { $0 == " " || $0 == "\t" } }

    /// Without such characters at the ends.
    package func trimming(_ isUnwanted: (Character) -> Bool) -> String {
        let start = drop(while: isUnwanted)
        return String(start.prefix(start.count - start.reversed().prefix(while: isUnwanted).count))
    }
}
