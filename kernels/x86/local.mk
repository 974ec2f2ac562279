noinst_HEADERS += \
	%D%/calls_masks.h \
	%D%/doubles256.h \
	%D%/float_tile.h \
	%D%/narrow.h \
	%D%/pack64.h \
	%D%/pi_runs.h \
	%D%/scan_masks.h \
	%D%/text_int.h \
	%D%/tiles.h \
	%D%/transpose.h \
	%D%/small_int_tile.h \
	%D%/zip.h
