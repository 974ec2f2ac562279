unit_tests += \
	%D%/t_acc_float \
	%D%/t_accumulator \
	%D%/t_tiles
