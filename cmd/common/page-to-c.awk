# A page as C: its lines in three arrays, cut at the lines @LIVE@ and @DATA@.
BEGIN { print "static const char *const gt_run_report_page[3][512] = {\n{" }
$0 == "@LIVE@" || $0 == "@DATA@" { print "}, {"; next }
{ gsub(/[\\"]/, "\\\\&"); print "    \"" $0 "\\n\"," }
END { print "}};" }
