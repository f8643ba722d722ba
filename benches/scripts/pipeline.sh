for i in {1..150}; do echo hello $i | tr a-z A-Z | cat | cat > /dev/null; done
echo ok
