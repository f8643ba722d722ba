declare -A m
for ((i = 0; i < 30000; i++)); do k=k$((i % 100)); ((m[$k]++)); done
echo ${m[k5]} ${#m[@]}
