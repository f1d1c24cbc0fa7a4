import Bytes

extension Field {
    /// A user name. One that is only too long is taken with a warning: it was made by an earlier version, and its user
    /// can still be removed.
    func userName() -> String? {
        guard let name = text(UserName.expected) else { return nil }
        switch UserName.problem(name) {
        case nil: return name
        case .tooLong?:
            warning(
                UserName.Problem.tooLong.text, expected: "at most \(UserName.maximumBytes) bytes",
                found: "\(name.utf8.count)")
            return name
        case let problem?:
            error(problem.text, expected: UserName.expected)
            return nil
        }
    }
}
