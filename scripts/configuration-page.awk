# Makes the manual page pushscope.yaml(5) of docs/configuration.md, whose tables are what the program reads.
#
#   awk -v date=2026-01-31 -f scripts/configuration-page.awk docs/configuration.md
function plain(text,   result, part, count, i, parts) {
  # Links keep their text; code is bold, and its hyphens can be copied.
  while (match(text, /\[[^]]*\]\([^)]*\)/)) {
    part = substr(text, RSTART + 1, RLENGTH - 1)
    sub(/\].*/, "", part)
    text = substr(text, 1, RSTART - 1) part substr(text, RSTART + RLENGTH)
  }
  gsub(/\\/, "\\e", text)
  count = split(text, parts, "`")
  result = parts[1]
  for (i = 2; i <= count; i++) {
    if (i % 2 == 0) gsub(/-/, "\\-", parts[i])
    result = result (i % 2 == 0 ? "\\fB" : "\\fR") parts[i]
  }
  return result ~ /^[.']/ ? "\\&" result : result
}
function close_list() { if (in_list) print ".El"; in_list = 0 }
function cell(number) { gsub(/^ +| +$/, "", cells[number]); return cells[number] }

/^# / {
  print ".Dd " date "\n.Dt PUSHSCOPE.YAML 5\n.Os\n.Sh NAME\n.Nm pushscope.yaml\n.Nd configuration of pushscope"
  print ".Sh DESCRIPTION"
  next
}
/^These tables / { skip = 1 }
/^## / {
  close_list()
  if (!sections++) print ".Sh SECTIONS AND KEYS"
  print ".Ss " plain(substr($0, 4))
  skip = 0
  next
}
/^\| `/ {
  split($0, cells, "|")
  if (!in_list++) print ".Bl -tag -width 6n"
  print ".It Cm " plain(cell(2))
  standard = cell(3)
  line = cell(4)
  if (standard ~ /^required/) line = line "; " standard
  else if (standard != "–") line = line "; default: " standard
  print plain(line)
  if (cell(5) != "") print ".br\n" plain(cell(5))
  next
}
/^\|/ { next }
$0 == "" { skip = 0; if (!in_list && !sections) paragraph = 1; next }
skip { next }
{
  if (paragraph && described++) print ".Pp"
  paragraph = 0
  print plain($0)
}
END {
  close_list()
  print ".Sh FILES\n.Bl -tag -width 6n -compact"
  print ".It Pa $XDG_CONFIG_HOME/pushscope/pushscope.yaml\nof the user, by default below\n.Pa ~/.config"
  print ".It Pa /etc/pushscope/pushscope.yaml\nof the system, which is read where the user has none\n.El"
  print ".Sh SEE ALSO\n.Xr pushscope 1 ,\n.Xr pushscope.collect 1 ,\n.Xr pushscope.doctor 1"
}
