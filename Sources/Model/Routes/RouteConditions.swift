/// What requests must have for a route beside host, path and method: header fields and query parameters.
///
/// Clients send what they like, so that conditions choose between routes and protect none.
package struct RouteConditions: Hashable, Sendable {
    /// A name that must be there exactly once.
    package struct Condition: Hashable, Sendable {
        /// Of a header field in lower case; of a parameter decoded.
        package let name: [UInt8]
        /// Nil for any value.
        package let value: [UInt8]?

        package init(_ name: String, value: String?) {
            self.name = Array(name.utf8)
            self.value = value.map { Array($0.utf8) }
        }

        private var text: String {
            let name = String(decoding: name, as: UTF8.self)
            return value.map { "\(name)=\(String(decoding: $0, as: UTF8.self))" } ?? name
        }

        fileprivate static func list(_ conditions: [Condition]) -> String {
            conditions.map { "\"\($0.text)\"" }.joined(separator: " and ")
        }
    }

    /// In the order of the names, each name once.
    package let headers: [Condition]
    package let query: [Condition]

    package init(headers: [Condition] = [], query: [Condition] = []) {
        self.headers = headers.sorted { $0.name.lexicographicallyPrecedes($1.name) }
        self.query = query.sorted { $0.name.lexicographicallyPrecedes($1.name) }
    }

    package var isEmpty: Bool { headers.isEmpty && query.isEmpty }

    /// Whether a route with these conditions is tried before one with the others: the one with more of them, or else with
    /// more values. A request that meets all conditions of one route then never reaches another with a part of them.
    package func precede(_ others: RouteConditions) -> Bool { rank > others.rank }

    private var rank: (Int, Int) {
        let all = headers + query
        return (all.count, all.count { $0.value != nil })
    }
}

extension RouteConditions: CustomStringConvertible {
    package var description: String {
        if isEmpty { return "no header or query condition" }
        return [
            headers.isEmpty ? nil : "header \(Condition.list(headers))",
            query.isEmpty ? nil : "query \(Condition.list(query))",
        ].compactMap(\.self).joined(separator: ", ")
    }
}
