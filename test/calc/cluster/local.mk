unit_tests += \
	%D%/t_cluster
