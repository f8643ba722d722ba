f() { local x=$1; r=$((x + 1)); }
for ((i = 0; i < 30000; i++)); do f $i; done
echo $r
