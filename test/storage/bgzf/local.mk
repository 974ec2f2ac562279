unit_tests += \
	%D%/t_csi \
	%D%/t_index \
	%D%/t_place
