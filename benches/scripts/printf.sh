for ((i = 0; i < 30000; i++)); do printf -v x '%05d %s %x' $i abc $i; done
echo "$x"
