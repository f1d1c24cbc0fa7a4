import Bytes
import Configuration
import Foundation

/// `portcullis policy flatten|pretty FILE`: the value of a policy on one line, as it is stored, and with indentation, as
/// it is written (JWT-02).
enum PolicyLayout {
    static let help = """
        usage: portcullis policy flatten FILE
               portcullis policy pretty FILE

        Print the JSON of FILE on one line, and with four blanks for each level. Names, order, numbers and escapes stay as
        they are. `-` reads standard input.
        """

    /// - Parameter action: `flatten` or `pretty`.
    static func run(_ action: String, _ file: String) throws(ExitStatus) {
        let text = try FileText.given(file)
        do throws(JSONError) {
            let laidOut = action == "flatten" ? try JSONLayout.flattened(text) : try JSONLayout.indented(text)
            Terminal.print(String(decoding: laidOut, as: UTF8.self))
        } catch {
            Terminal.complain("portcullis: \(file) is not JSON: \(JSONProblem(error, in: text, file: "").text)")
            throw .failed
        }
    }
}
