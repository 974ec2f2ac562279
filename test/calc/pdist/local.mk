test_tools += \
	%D%/metric_list
