unit_tests += \
	%D%/t_decimal \
	%D%/t_svg
