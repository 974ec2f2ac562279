unit_tests += \
	%D%/t_base \
	%D%/t_nd \
	%D%/t_texts
