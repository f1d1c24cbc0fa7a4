import Bytes
import Declaration
import Model

extension HTTPSRedirect {
    /// `true`, or an object with other settings; nil for `false`.
    static let shape = Shape(
        .either([.flag, members.form()]),
        read: { field in field.node.bool.map { $0 ? HTTPSRedirect() : nil } ?? members.read(field) })

    private static let members = Shape.object("true, or an object: {\"port\", \"status\"}") { object in
        var redirect = HTTPSRedirect()
        object.read("port", .integer(1...65_535, "a port number"), into: &redirect.port, "Port of the `https` URL.")
        object.read("status", status([301, 308]), into: &redirect.status, "Status of the redirect.")
        return redirect
    }

    /// One of some statuses.
    static func status(_ statuses: [Int]) -> Shape<Int> {
        let words = statuses.map(String.init)
        let expected = "\(words.dropLast().joined(separator: ", ")) or \(words.last ?? "")"
        return Shape(
            .either(statuses.map { .integer($0...$0) }), write: { .number(Int64($0)) },
            read: { field in
                guard let status = field.node.integer else { return field.wrongType(expected) }
                return statuses.contains(Int(status)) ? Int(status) : field.invalid(expected)
            })
    }
}
