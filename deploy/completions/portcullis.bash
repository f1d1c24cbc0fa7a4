# Bash takes words apart at `=` and `:`, but the program must have whole ones. Bash replaces the last part only.
_portcullis() {
    local line words current="$2"
    read -ra words <<< "${COMP_LINE:0:COMP_POINT}"
    [[ ${COMP_LINE:0:COMP_POINT} == *[[:space:]] ]] && words+=("")
    [[ $current == [=:] ]] && current=
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
            :directory)
                compopt -o filenames
                mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$current") ;;
            :file)
                compopt -o filenames
                mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current") ;;
            "$current"*) COMPREPLY+=("${line%%$'\t'*}") ;;
        esac
    done < <(command portcullis completions words -- "${words[@]:1}" 2> /dev/null)
}
complete -F _portcullis portcullis
