for i in {1..500}; do x=$(echo $i); done
echo $x
