/// A reusable object, identified by its index.
protocol SlabElement: AnyObject {
    var index: Int { get }
    /// The next unused one; maintained by the `Slab`.
    var nextVacant: Self? { get set }
}

/// Reusable objects. Each keeps its index for the life of the slab; sockets, timers and messages refer to it by index.
final class Slab<Element: SlabElement> {
    private(set) var all: [Element] = []
    private var firstVacant: Element?
    /// Number of objects in use.
    private(set) var used = 0

    subscript(_ index: Int) -> Element { all[index] }

    /// An unused object, or a new one.
    ///
    /// - Parameter make: creates the object for an index.
    func take(_ make: (Int) -> Element) -> Element {
        used &+= 1
        if let element = firstVacant.take() {
            firstVacant = element.nextVacant.take()
            return element
        }
        let element = make(all.count)
        // Moved out and back in, like all tables of a worker: changing it in place would add an exclusivity check to
        // every access.
        var table = all
        all = []
        table.append(element)
        all = table
        return element
    }

    /// Returns an object for reuse.
    func give(_ element: Element) {
        used &-= 1
        element.nextVacant = firstVacant.take()
        firstVacant = element
    }

    /// Calls `body` with each unused object.
    func forEachVacant(_ body: (Element) -> Void) {
        var vacant = firstVacant
        while let element = vacant {
            body(element)
            vacant = element.nextVacant
        }
    }
}
