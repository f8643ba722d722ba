for i in {1..500}; do (x=$i; : $x); done
echo ok
