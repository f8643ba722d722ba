for ((i = 0; i < 40000; i++)); do echo "line $i x"; done > lines
n=0
while read -r a b c; do ((n += b)); done < lines
echo $n
