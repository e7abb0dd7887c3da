// refusals_test
