# Mends a manual page that swift-argument-parser's generator has written:
#   - NAME has one word, as whatis(1) and apropos(1) read it: pushscope.export; the synopsis has the command as it is typed;
#   - examples and columns of commands keep their lines;
#   - EXIT STATUS has the exit codes, which the page of pushscope(1) lists in its description.
#
#   awk -v codes="0 success, 1 failed …" -f scripts/manual-page.awk PAGE
function literal(isLiteral) {
  if (isLiteral && !inLiteral) print ".Bd -literal"
  if (!isLiteral && inLiteral) print ".Ed"
  inLiteral = isLiteral
}

/^\.Sh / { section = substr($0, 5); gsub(/"/, "", section) }
section == "NAME" && /^\.Nm / {
  command = substr($0, 5)
  gsub(/"/, "", command)
  word = command
  gsub(/ /, ".", word)
  print ".Nm " word
  next
}
section == "NAME" && /^\.Nd / {
  # Quotes would be taken for part of the description. A word that is a macro's name would be taken for it.
  count = split(substr($0, 5), words, " ")
  line = ".Nd"
  for (i = 1; i <= count; i++) {
    gsub(/"/, "", words[i])
    line = line " " (words[i] ~ /^[A-Z][a-z]$/ ? "\\&" : "") words[i]
  }
  print line
  next
}
section == "SYNOPSIS" && $0 == ".Nm" { print ".Nm \"" command "\""; next }
$0 == ".Ex -std" {
  count = split(codes, parts, ", *")
  print ".Bl -tag -width 6n -compact"
  for (i = 1; i <= count; i++) {
    if (parts[i] ~ /^[0-9]+ /) {
      code = parts[i]
      sub(/ .*/, "", code)
      sub(/^[0-9]+ /, "", parts[i])
      if (i > 1) print ""
      printf ".It %s\n%s", code, parts[i]
    } else {
      printf ", %s", parts[i]
    }
  }
  print "\n.El"
  next
}
$0 == "" { literal(0); print ".Pp"; next }
{
  isExample = $0 !~ /^\./ && ($0 ~ /^Example: / || $0 ~ /  +pushscope /)
  literal(isExample)
  print
}
END { literal(0) }
