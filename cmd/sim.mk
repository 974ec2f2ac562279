bin_PROGRAMS += gt-sim
gt_sim_SOURCES = %D%/gt-sim.c %D%/sim_output.c %D%/sim_output.h %D%/sim_uses.c %D%/sim_uses.h
dist_man_MANS += man/gt-sim.1
EXTRA_DIST += scripts/bench-parts/sim.sh
