/// A socket that clients connect to.
package struct ListenerEntry: Sendable {
    package var name: String
    package var address: IPLiteral
    /// 0 lets the system choose.
    package var port: Int

    static func readAll(_ field: Field) -> [ListenerEntry]? {
        guard let elements = field.elements("an array of listeners") else { return nil }
        if elements.isEmpty { field.error("no listener", expected: "at least one listener") }
        var listeners: [ListenerEntry] = []
        for (i, element) in elements.enumerated() {
            let listener = read(element, at: i)
            if listeners.contains(where: { $0.name == listener.name }) {
                element.error("duplicate listener name \"\(listener.name)\"", expected: "a unique name")
            }
            if listener.port != 0,
                listeners.contains(where: { $0.address == listener.address && $0.port == listener.port })
            {
                element.error("another listener has this address and port", expected: "a free address and port")
            }
            listeners.append(listener)
        }
        return listeners
    }

    private static func read(_ field: Field, at index: Int) -> ListenerEntry {
        var object = field.object("a listener: {\"address\", \"port\"}")
        let address = object.required("address", "an IP address", standIn: .loopback) { $0.address() }
        let port = object.required("port", "a port number from 0 to 65535", standIn: 0) {
            $0.integer(in: 0...65535, "a port number")
        }
        // Two listeners on port 0 are different ones, so the place tells them apart.
        let standard = port == 0 ? "listener-\(index)" : "\(address):\(port)"
        let name = object.value("name", default: standard) { $0.name() }
        object.finish()
        return ListenerEntry(name: name, address: address, port: port)
    }
}
