# One example of a document: the lines of the code block that begins with `// file: NAME`.
# awk -v name=NAME -f ..
/^```/ { inside = 0 }
inside { print }
$0 == "// file: " name { inside = 1 }
