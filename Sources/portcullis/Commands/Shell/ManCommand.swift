import CommandForms
import Reactor

/// `portcullis man`: the manual pages.
enum ManCommand: Command {
    static let name = "man"
    static let summary = "write the manual pages"
    static let help = """
        usage: portcullis man DIR

        Writes portcullis.1, and portcullis-COMMAND.1 for each command, to an existing directory. Replaces existing files.

        example: portcullis man /usr/local/share/man/man1
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let directory = try Arguments(arguments, of: self).positional[0]
        for page in pages {
            let path = "\(directory)/\(page.name).1"
            try ExitStatus.system(
                "cannot write \(path)", try AtomicFile.replace(path, with: Array(page.text.utf8), mode: 0o644))
        }
        Terminal.print("\(directory): \(pages.count) pages")
    }

    static var pages: [ManualPage] {
        let edition = ManualPage.Edition(
            program: "Portcullis", version: ProgramVersion.number, date: ProgramVersion.date)
        let program = ManualPage(
            edition, command: nil, summary: Program.summary, form: CommandForm(Program.help))
        return [program]
            + Program.commands.map {
                ManualPage(edition, command: $0.name, summary: $0.summary, form: $0.form)
            }
    }
}
