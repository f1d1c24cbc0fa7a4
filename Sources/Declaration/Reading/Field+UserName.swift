import Bytes

extension Field {
    /// A user name. One that is only too long gets a warning, since earlier versions accepted it and its user must be
    /// removable.
    package func userName() -> String? {
        guard let name = text(UserName.expected) else { return nil }
        switch UserName.problem(name) {
        case nil: return name
        case .tooLong?:
            warning(
                UserName.Problem.tooLong.text, expected: "at most \(UserName.maximumBytes) bytes",
                found: "\(name.utf8.count)")
            return name
        case let problem?:
            return error(problem.text, expected: UserName.expected)
        }
    }
}
