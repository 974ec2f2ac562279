libgt_a_SOURCES += \
	%D%/sim.h \
	%D%/sim_array.c \
	%D%/sim_device.c \
	%D%/sim_array.h \
	%D%/sim_geno.c \
	%D%/sim_internal.h \
	%D%/sim_linkage.c \
	%D%/sim_model.c \
	%D%/sim_site.c \
	%D%/sim_tree.c \
	%D%/sim_write.c \
	%D%/sim_json.c \
	%D%/sim_json.h
