unit_tests += \
	%D%/t_url_normal
if CURL
unit_tests += %D%/t_http_parts
endif
