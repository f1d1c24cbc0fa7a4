#compdef portcullis
_portcullis() {
    local line place word
    local -a found
    for line in "${(@f)$(command portcullis completions words -- "${(@Q)words[2,CURRENT]}" 2> /dev/null)}"; do
        case $line in
            :directory|:file) place=$line ;;
            ?*)
                word=${line%%$'\t'*}
                found+=("${word//:/\\:}${${line#$word}/$'\t'/:}") ;;
        esac
    done
    compset -P '--*='
    (( $#found )) && _describe portcullis found
    case $place in
        :directory) _files -/ ;;
        :file) _files ;;
    esac
}
if [[ $funcstack[1] == _portcullis ]]; then _portcullis "$@"; else compdef _portcullis portcullis; fi
