noinst_HEADERS += \
	%D%/calls_masks.h \
	%D%/carriers.h \
	%D%/doubles256.h \
	%D%/float_tile.h \
	%D%/missing.h \
	%D%/narrow.h \
	%D%/pack64.h \
	%D%/pi_runs.h \
	%D%/scan_masks.h \
	%D%/text_int.h \
	%D%/tiles.h \
	%D%/transpose.h \
	%D%/turn.h \
	%D%/turn_codes.h \
	%D%/unroll.h \
	%D%/small_int_tile.h \
	%D%/zip.h
