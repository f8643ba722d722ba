n=0
for ((i = 0; i < 30000; i++)); do
  case $i in *5) ((n++)) ;; 1*2 | 3*4) ((n += 2)) ;; *) ;; esac
  [[ $i == *7* ]] && ((n++))
done
echo $n
