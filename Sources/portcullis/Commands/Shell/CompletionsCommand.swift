import Bytes
import CTexts
import Reactor

/// `portcullis completions`: what shells complete the command line by.
enum CompletionsCommand: Command {
    static let name = "completions"
    static let summary = "print a script that completes the command line in a shell"
    static let help = """
        usage: portcullis completions bash|zsh|fish
               portcullis completions words [WORD...]

        Prints a script for the shell. It completes commands, actions, options, files and directories, and with `--config DIR`
        on the line names of the configuration, such as those of routes.

        bash   eval "$(portcullis completions bash)" in ~/.bashrc
        zsh    a file _portcullis in a directory of $fpath, or, behind compinit, eval "$(portcullis completions zsh)"
        fish   a file ~/.config/fish/completions/portcullis.fish
        words  prints what may follow the words, of which the last one is being typed: a candidate in each line, with its
               meaning behind a tab, or :file or :directory. The scripts ask it of the program in $PATH

        examples: portcullis completions bash > /etc/bash_completion.d/portcullis
                  portcullis completions words -- users ""
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, of: self)
        switch arguments.action {
        case "bash": write(completions_bash)
        case "zsh": write(completions_zsh)
        case "fish": write(completions_fish)
        default:
            for candidate in ShellCompletion.candidates(arguments.positional) { Terminal.print(candidate.line) }
        }
    }

    private static func write(_ script: (Int) -> Int32) { StandardStream.output.write([UInt8](embedded: script)) }
}
