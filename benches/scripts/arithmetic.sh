for ((i = 0; i < 100000; i++)); do ((s += i * 2 % 7)); done
echo $s
