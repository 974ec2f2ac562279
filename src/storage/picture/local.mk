libgt_a_SOURCES += \
	%D%/picture.c \
	%D%/picture.h \
	%D%/picture_module.h

# The module is loaded when a picture is drawn; no program links its libraries.
EXTRA_DIST += %D%/picture_module.c
module_DATA += $(PICTURE_MODULES)
CLEANFILES += gt-picture.so
gt-picture.so: $(top_srcdir)/%D%/picture_module.c $(top_srcdir)/%D%/picture_module.h
	$(AM_V_CCLD)$(CC) -std=gnu11 -O2 -fPIC -shared -fvisibility=hidden $(GT_MODULE_WARNINGS) -I$(top_srcdir)/src $(PICTURE_DEFINES) \
		$(RSVG_CFLAGS) $(GRAPHVIZ_CFLAGS) -o $@ $(top_srcdir)/%D%/picture_module.c $(RSVG_LIBS) $(GRAPHVIZ_LIBS) && chmod a-x $@
