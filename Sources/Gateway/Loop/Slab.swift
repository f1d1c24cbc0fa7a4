/// An object that is used again and again, known by its place among those of its kind.
protocol SlabElement: AnyObject {
    /// Its place.
    var index: Int { get }
    /// The next one that is in no use; kept by the `Slab`.
    var nextVacant: Self? { get set }
}

/// Objects that are used again instead of being freed. Each has a place for as long as the slab lives, by which a socket,
/// a timer or a message names it.
final class Slab<Element: SlabElement> {
    private(set) var all: [Element] = []
    private var firstVacant: Element?
    /// How many are in use.
    private(set) var used = 0

    subscript(_ index: Int) -> Element { all[index] }

    /// One that is in no use, or a new one.
    ///
    /// - Parameter make: makes the object for a place.
    func take(_ make: (Int) -> Element) -> Element {
        used &+= 1
        if let element = firstVacant.take() {
            firstVacant = element.nextVacant.take()
            return element
        }
        let element = make(all.count)
        // Out and in again, as in all tables of a worker: a change in place would put a check on every reading.
        var table = all
        all = []
        table.append(element)
        all = table
        return element
    }

    /// The object is in no use any more.
    func give(_ element: Element) {
        used &-= 1
        element.nextVacant = firstVacant.take()
        firstVacant = element
    }

    /// Calls `body` with each object that is in no use.
    func forEachVacant(_ body: (Element) -> Void) {
        var vacant = firstVacant
        while let element = vacant {
            body(element)
            vacant = element.nextVacant
        }
    }
}
