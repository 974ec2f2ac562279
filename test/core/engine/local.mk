unit_tests += \
	%D%/t_comm \
	%D%/t_engine \
	%D%/t_estimate \
	%D%/t_flow \
	%D%/t_flow_deal \
	%D%/t_flow_memory \
	%D%/t_plan_record \
	%D%/t_trace
