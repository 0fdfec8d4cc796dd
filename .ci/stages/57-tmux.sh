# the review in a real terminal (tmux): keys, sizes, colours, editor, a kill
bash .ci/stage-tmux.sh
