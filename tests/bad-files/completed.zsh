# completed.zsh FOLDER LINE: the words of a line for nsq after a tab at its end, in the shell's own quotes.  FOLDER holds _nsq.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1= fpath=(${(q)1} \$fpath); autoload -Uz compinit; compinit -u -D; stty -echo; unsetopt prompt_cr prompt_sp beep
nsq() { print -rl -- '<begin>' \"\${(@q)@}\" '<end>' }; nsq-setup() { nsq \"\$@\" }; nsq-gate() { nsq \"\$@\" }; print '<ready'\\>"
zpty -r shell out '*<ready>*'
zpty -w shell "$2"$'\t'
zpty -r shell out '*<end>*'
print -r -- "$out" | tr -d '\r' | sed -n '/<begin>/,/<end>/p' | sed '1d;$d'
zpty -d shell
