/// An option of a command.
package struct CommandOption {
    package let name: String
    /// What the usage calls it, such as `DIR` or `ec|rsa`; nil for a flag.
    package var value: String?
    /// Empty where the help has none.
    package let meaning: String
}
