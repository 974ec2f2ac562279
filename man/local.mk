# Pages are added by the fragment of their command (cmd/*.mk).
