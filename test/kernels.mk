check_PROGRAMS += %D%/t_kernels_select
%C%_t_kernels_select_SOURCES = %D%/t_kernels_select.c
%C%_t_kernels_select_LDADD = $(KERNELS)
TESTS += %D%/t_kernels_select
