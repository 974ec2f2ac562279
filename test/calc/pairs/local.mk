unit_tests += \
	%D%/t_acc_bytes \
	%D%/t_acc_float \
	%D%/t_accumulator \
	%D%/t_nearest \
	%D%/t_tiles \
	%D%/t_variant_ranges
