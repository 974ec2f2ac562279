unit_tests += \
	%D%/t_pack
