unit_tests += \
	%D%/t_candidates \
	%D%/t_pdist_plan
test_tools += \
	%D%/metric_list
