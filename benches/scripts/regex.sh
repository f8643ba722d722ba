for ((i = 0; i < 15000; i++)); do [[ "key$i=val" =~ ^([a-z]+)([0-9]+)=(.*)$ ]] && x=${BASH_REMATCH[2]}; done
echo $x
