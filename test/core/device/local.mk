unit_tests += %D%/t_device
