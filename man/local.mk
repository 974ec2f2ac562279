# The pages of the commands are added by the fragment of their command (cmd/*.mk).
dist_man_MANS += %D%/gt-packed.5 %D%/gt-stream.5 %D%/gt-utils.7 %D%/gt-zarr.5
