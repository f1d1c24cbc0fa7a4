/// A colour or weight of text on a terminal, by its number in ECMA-48.
package enum TextStyle: Int {
    case bold = 1
    case faint = 2
    case red = 31
    case yellow = 33

    /// The text in this style, if `isOn`.
    package func applied(to text: String, if isOn: Bool) -> String {
        isOn ? "\u{1B}[\(rawValue)m\(text)\u{1B}[m" : text
    }
}
