for ((i = 0; i < 20000; i++)); do s="abc$i"; t=${s#ab}; u=${t/c/x}; v=${u:1:3}; w=${v^^}; done
echo $w ${#s}
