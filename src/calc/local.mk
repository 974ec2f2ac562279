libgt_a_SOURCES += \
	%D%/pack.c \
	%D%/pack.h \
	%D%/pack_impl.h \
	%D%/pack_meta.c \
	%D%/pack_plan.c \
	%D%/pack_put.c \
	%D%/pack_stripe.c \
	%D%/paircount.h \
	%D%/paircount.c \
	%D%/pdist.h \
	%D%/pdist.c \
	%D%/pi.c \
	%D%/pi.h \
	%D%/calls.h \
	%D%/sim.h \
	%D%/sim_array.c \
	%D%/sim_array.h \
	%D%/sim_copy.c \
	%D%/sim_geno.c \
	%D%/sim_impl.h \
	%D%/sim_model.c \
	%D%/sim_reader.c \
	%D%/sim_site.c \
	%D%/sim_write.c \
	%D%/sink.h
