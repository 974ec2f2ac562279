unit_tests += \
	%D%/t_decimal \
	%D%/t_svg \
	%D%/t_text_files
