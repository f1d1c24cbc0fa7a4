import Bytes
import HTTP

/// The parameters of a request. Unknown ones are refused: a misspelt filter must not list all users.
struct ProfileQuery: Sendable {
    /// The attributes to show; nil for all.
    private(set) var attributes: [ProfileAttribute]?
    private(set) var prefetch: Set<Prefetch> = []
    private(set) var filter = PersonFilter()
    private(set) var page = Page()

    /// Related data to include with a person.
    enum Prefetch: String, Sendable {
        case manager, reports, groups
    }

    /// A page of a list.
    struct Page: Sendable {
        static let largestSize = 200
        var size = 50
        var position = 0

        /// The indices of its items in a list; the position counts pages.
        func places(in count: Int) -> Range<Int> {
            let (first, overflow) = position.multipliedReportingOverflow(by: size)
            if overflow || first >= count { return count..<count }
            return first..<min(first + size, count)
        }
    }

    /// The kinds of parameters.
    struct Kinds: OptionSet {
        let rawValue: Int
        static let attributes = Kinds(rawValue: 1)
        static let prefetch = Kinds(rawValue: 2)
        static let page = Kinds(rawValue: 4)
        static let filter = Kinds(rawValue: 8)
    }

    /// - Parameter kinds: the parameters of the resource.
    init(_ query: [UInt8], _ kinds: Kinds) throws(ProfileRefusal) {
        guard let form = try? FormFields.parse(query.span), form.repeatedName == nil else {
            throw ProfileRefusal(.malformedQuery)
        }
        for field in form.fields {
            switch field.name {
            // oam-wire 5 has the second name.
            case "attrs" where kinds.contains(.attributes), "attrsToFetch" where kinds.contains(.attributes):
                guard attributes == nil else { throw ProfileRefusal(.malformedQuery, field.name) }
                attributes = try ProfileQuery.list(field.value, ProfileAttribute.init(exactly:))
            case "prefetch" where kinds.contains(.prefetch):
                prefetch = Set(try ProfileQuery.list(field.value, Prefetch.init(rawValue:)))
            case "pageSize" where kinds.contains(.page):
                page.size = try ProfileQuery.number(field, in: 1...Page.largestSize)
            case "pagePosition" where kinds.contains(.page):
                page.position = try ProfileQuery.number(field, in: 0...Int.max)
            case "simple" where kinds.contains(.filter): filter.isSimple = try ProfileQuery.flag(field)
            default:
                guard kinds.contains(.filter), let name = ProfileQuery.filtered(field.name) else {
                    throw ProfileRefusal(.malformedQuery, field.name)
                }
                try filter.add(name, field.value)
            }
        }
    }

    /// `filter[mail]`
    private static func filtered(_ name: String) -> String? {
        let bytes = name.utf8
        guard bytes.starts(with: "filter[".utf8), bytes.last == UInt8(ascii: "]") else { return nil }
        return String(bytes.dropFirst("filter[".utf8.count).dropLast())
    }

    private static func list<Item>(_ text: String, _ item: (String) -> Item?) throws(ProfileRefusal) -> [Item] {
        var found: [Item] = []
        for name in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
            guard let item = item(name) else { throw ProfileRefusal(.malformedQuery, name) }
            found.append(item)
        }
        return found
    }

    private static func number(_ field: FormFields.Field, in range: ClosedRange<Int>) throws(ProfileRefusal) -> Int {
        guard let number = Decimal.parse(Array(field.value.utf8).span), range.contains(number) else {
            throw ProfileRefusal(.malformedQuery, field.name)
        }
        return number
    }

    private static func flag(_ field: FormFields.Field) throws(ProfileRefusal) -> Bool {
        if field.value.isExactly("true") { return true }
        if field.value.isExactly("false") { return false }
        throw ProfileRefusal(.malformedQuery, field.name)
    }
}
