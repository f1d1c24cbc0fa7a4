import Bytes
import HTTP
import Model

/// The routes of one pattern and host, some of which have conditions. Routes without conditions are found without it.
package final class RouteSelection: Sendable {
    /// In the order in which they are tried.
    private let routes: [Route]

    init(_ routes: [Route]) {
        // The sort keeps the order of equal elements.
        self.routes = routes.enumerated().sorted { one, other in
            one.element.conditions.precede(other.element.conditions)
                || !other.element.conditions.precede(one.element.conditions) && one.offset < other.offset
        }.map(\.element)
    }

    /// The route of a request; also the first whose conditions hold if none of these has the method. A preflight leads
    /// where the request would lead that it announces. Allocates nothing.
    ///
    /// - Parameter bytes: the buffer of `head` and `headers`.
    func choose(
        bytes: Span<UInt8>, head: RequestHead, headers: HeaderTable
    ) -> (route: Route?, hasMethod: Bool) {
        if CORSPolicy.isPreflight(head, headers), let field = headers.value(.accessControlRequestMethod) {
            return announced(Method(bytes.slice(field)), bytes.slice(field), bytes, head, headers)
        }
        let text = bytes.slice(head.methodText)
        var lacking: Route?
        for route in routes {
            guard route.conditions.holdHeaders(headers, bytes), route.conditions.holdQuery(head, bytes) else {
                continue
            }
            if route.methods.contains(head.method, text) { return (route, true) }
            if lacking == nil { lacking = route }
        }
        return (lacking, false)
    }

    /// A preflight names the fields of its request without their values, and not those that pages may always set: the first
    /// route whose fields are named, or else the last one that they do not exclude.
    private func announced(
        _ method: Method, _ text: Span<UInt8>, _ bytes: Span<UInt8>, _ head: RequestHead, _ headers: HeaderTable
    ) -> (route: Route?, hasMethod: Bool) {
        var last: Route?
        for route in routes where route.conditions.holdQuery(head, bytes) {
            if route.methods.contains(method, text) {
                if route.conditions.holdAnnounced(headers, bytes) { return (route, true) }
                last = route
            } else if last == nil {
                last = route
            }
        }
        // CORS-06: the answer names the methods that the route has; the browser then refuses the other by itself.
        return (last, last != nil)
    }
}

extension RouteConditions {
    /// Whether each field is there exactly once, with its value.
    fileprivate func holdHeaders(_ table: HeaderTable, _ bytes: Span<UInt8>) -> Bool {
        for condition in headers {
            var found = 0
            for i in 0..<table.count where equalIgnoringCase(condition.name, bytes.slice(table[i].name)) {
                found += 1
                if let value = condition.value, !equal(value, bytes.slice(table[i].value)) { return false }
            }
            if found != 1 { return false }
        }
        return true
    }

    /// Whether each parameter is there exactly once, with its value.
    fileprivate func holdQuery(_ head: RequestHead, _ bytes: Span<UInt8>) -> Bool {
        if query.isEmpty { return true }
        guard let range = head.query else { return false }
        for condition in query {
            guard let found = QueryText.value(of: condition.name, range, bytes), found.isOnly else { return false }
            if let wanted = condition.value, !FormEncoding.matches(bytes.slice(found.value), wanted) { return false }
        }
        return true
    }

    /// Whether a preflight announces each field.
    fileprivate func holdAnnounced(_ table: HeaderTable, _ bytes: Span<UInt8>) -> Bool {
        if headers.isEmpty { return true }
        guard let list = table.value(.accessControlRequestHeaders) else { return false }
        return headers.allSatisfy { FieldList.contains(list, $0.name.span, in: bytes) }
    }
}
