libcmd_a_SOURCES += \
	%D%/ceiling.c \
	%D%/ceiling.h \
	%D%/cli.c \
	%D%/cli.h \
	%D%/common_options.c \
	%D%/formats.c \
	%D%/formats.h \
	%D%/help.c \
	%D%/hints.def \
	%D%/input_kind.c \
	%D%/input_kind.h \
	%D%/message.c \
	%D%/message.h \
	%D%/options.c \
	%D%/options.h \
	%D%/outputs.c \
	%D%/outputs.h \
	%D%/plan_graph.c \
	%D%/plan_graph.h \
	%D%/progress.c \
	%D%/progress.h \
	%D%/progress_view.c \
	%D%/progress_view.h \
	%D%/rank_figures.c \
	%D%/rank_figures.h \
	%D%/ranks.c \
	%D%/ranks.h \
	%D%/ranks_signature.c \
	%D%/ranks_signature.h \
	%D%/report.c \
	%D%/report.h \
	%D%/resume.c \
	%D%/run_data.c \
	%D%/run_data.h \
	%D%/run_report.c \
	%D%/run_report.h \
	%D%/resume.h \
	%D%/signals.c \
	%D%/signals.h \
	%D%/store_files.c \
	%D%/store_files.h \
	%D%/store_opts.c \
	%D%/store_opts.h \
	%D%/suggest.c \
	%D%/suggest.h \
	%D%/version.c

# The page of --report, as text in C.
%D%/run_report.$(OBJEXT): %D%/run_report_page.h
CLEANFILES += %D%/run_report_page.h
EXTRA_DIST += %D%/page-to-c.awk %D%/run_report.html
%D%/run_report_page.h: $(top_srcdir)/%D%/run_report.html $(top_srcdir)/%D%/page-to-c.awk
	$(AM_V_GEN)$(MKDIR_P) %D% && awk -f $(top_srcdir)/%D%/page-to-c.awk $(top_srcdir)/%D%/run_report.html > $@.tmp && mv $@.tmp $@
