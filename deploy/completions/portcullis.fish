function __portcullis_complete
    set -l typed (commandline -ct)
    set -l words (commandline -opc) $typed
    set -l option (string match -r -- '^--[^=]*=' $typed)
    set -l rest (string replace -- "$option" '' $typed)
    for line in (command portcullis completions words -- $words[2..-1] 2> /dev/null)
        switch $line
            case :directory
                for path in (__fish_complete_directories $rest)
                    echo "$option$path"
                end
            case :file
                for path in (__fish_complete_path $rest)
                    echo "$option$path"
                end
            case '*'
                echo "$option$line"
        end
    end
end
complete -c portcullis -f -a '(__portcullis_complete)'
