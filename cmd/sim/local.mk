bin_PROGRAMS += gt-sim
gt_sim_SOURCES = \
	%D%/gt-sim.c \
	%D%/sim_options_check.c \
	%D%/sim_options_check.h \
	%D%/sim_output.c \
	%D%/sim_output.h
